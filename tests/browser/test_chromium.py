# What the other tests of pages rely on: clicks that arrive, whatever the page does meanwhile.
import chromium
import fixture

SHIFT = """addEventListener(%s, () => {
    const panel = document.createElement('div');
    panel.style.height = '150px';
    document.body.prepend(panel);
}, {once: true, capture: true})"""


class Click(fixture.PageTest):
    def setUp(self):
        super().setUp()
        self.server.cluster("alpha")
        self.page = self.open()
        self.page.until("document.querySelector('details.cluster')")

    def opens(self):
        self.page.click("details.cluster summary")
        self.page.until("document.querySelector('details.cluster[open] tbody')")

    def test_it_follows_what_moves_when_the_button_goes_down(self):
        self.page.js(SHIFT % "'mousedown'")
        self.opens()

    def test_it_follows_what_moves_before_the_button_comes_up(self):
        # The first look at what lies below the mouse is followed by the shift, as a panel that comes late would.
        self.page.js("""(() => {
            const look = document.elementFromPoint.bind(document);
            document.elementFromPoint = (...at) => {
                delete document.elementFromPoint;
                const found = look(...at);
                dispatchEvent(new Event('shift'));
                return found;
            };
        })()""")
        self.page.js(SHIFT % "'shift'")
        self.opens()

    def test_it_says_what_no_click_reaches(self):
        self.page.js("document.querySelector('details.cluster summary').style.pointerEvents = 'none'")
        with self.assertRaisesRegex(chromium.Failure, "no click reaches details.cluster summary"):
            self.page.click("details.cluster summary")

    def test_a_link_that_leaves_the_page(self):
        self.page.js("document.body.insertAdjacentHTML('afterbegin', '<a id=away href=\"?cluster=beta\">away</a>')")
        self.page.click("#away")
        self.page.until("location.search === '?cluster=beta' && document.readyState === 'complete'")
