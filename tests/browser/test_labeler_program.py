"""The labeler's page before the real program, which asks a stand-in for NVML."""
import pathlib
import tempfile
import unittest

import fixture
import server

GPU = ("gpu name=NVIDIA_H100_80GB_HBM3 uuid=GPU-h100000{0}-0000-4000-8000-000000000000 bus=00000000:{0}9:00.0 memory_mib=81559 "
       "cc=9.0 mig=off minor={0} temp={1} power_mw=303730 limit_mw=700000 util=37 mem_util=18 used_mib=25147 reserved_mib=544\n")
LOST = 15   # NVML_ERROR_GPU_IS_LOST


@unittest.skipUnless(server.gpu_labeler() and server.fake_nvml(), "gpu_labeler or the stand-in for NVML is not built")
class LabelerProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fixture.PageTest.setUpClass()

    def tell(self, text):
        """What NVML tells from now on; put in place at once."""
        new = self.file.with_suffix(".new")
        new.write_text("driver 560.35.03\ncuda 12060\n" + text)
        new.rename(self.file)

    def test_values_a_lost_gpu_and_the_history(self):
        with tempfile.TemporaryDirectory() as folder:
            self.file = pathlib.Path(folder) / "inventory.txt"
            self.tell(GPU.format(0, 41) + GPU.format(1, 42))
            with server.Program(server.gpu_labeler(), "--listen", "127.0.0.1:0", "--output", "none", "--node-name", "h100-1",
                                "--nvml", server.fake_nvml(), "--sample-interval", "1s",
                                KCONTROL_FAKE_NVML=str(self.file)) as program:
                page = fixture.PageTest.browser.page(program.url)
                self.addCleanup(page.close)
                shows = lambda index, words: f"document.querySelector('#gpu-{index}')?.innerText.includes({words!r})"
                page.until(shows(1, "42 °C"))
                for words in ("NVIDIA H100 80GB HBM3", "304 W of 700 W", "37 %", "OK"):
                    self.assertTrue(page.js(shows(0, words)), words)
                self.assertEqual(page.js("document.querySelector('#title').textContent"), "GPUs of h100-1")
                self.tell(GPU.format(0, 66) + GPU.format(1, 67))
                page.until(shows(1, "67 °C"))
                page.until("[...document.querySelectorAll('.stroke-line')].every(l => l.getAttribute('d').includes('L'))")
                self.tell(GPU.format(0, 66) + GPU.format(1, 67) + f"fault call=* gpu=1 return={LOST}\n")
                page.until(shows(1, "Failed") + " && " + shows(0, "OK"))
                self.assertTrue(page.js(shows(1, "GPU-h1000001")))
                self.tell(GPU.format(0, 66) + GPU.format(1, 43))
                page.until(shows(1, "43 °C") + " && " + shows(1, "OK"))
                self.assertEqual(page.errors, [])


if __name__ == "__main__":
    unittest.main()
