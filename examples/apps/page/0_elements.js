'use strict';
// Elements, the words for times, the theme. Everything from the server is put in as text, never as HTML.
const $ = id => document.getElementById(id);

// Without what is not there.
const there = parts => parts.filter(x => x !== null && x !== undefined && x !== '');
// el("a", {class: "x", href: "…"}, "text", child…)
function el(tag, attributes, ...inside) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value !== null && value !== undefined) e.setAttribute(name, value);
    }
    e.append(...there(inside));
    return e;
}
const SVG = document.querySelector('svg').namespaceURI;
function draw(tag, attributes, ...inside) {
    const e = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
    e.append(...inside);
    return e;
}

function put(e, text) {
    if (e.textContent !== text) e.textContent = text;
}
function show(e, on) {
    if (e.hidden === on) e.hidden = !on;
}

// What this browser keeps for the next time. Where it keeps nothing (cookies blocked), the page works all the same.
const kept = {
    get(name) {
        try {
            return localStorage.getItem(name);
        } catch {
            return null;
        }
    },
    set(name, value) {
        try {
            localStorage.setItem(name, value);
        } catch { /* then it holds until the page is closed */
        }
    },
};

function span(seconds) {
    if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return '';
    seconds = Math.max(0, Math.floor(seconds));
    const d = Math.floor(seconds / 86400), h = Math.floor(seconds / 3600) % 24, m = Math.floor(seconds / 60) % 60;
    const s = seconds % 60;
    return d ? `${d}d ${h}h` : h ? `${h}h ${m}m` : m ? `${m}m ${s}s` : `${s}s`;
}
// A span without its smaller unit, for what is long ago.
const about = seconds => span(seconds).split(' ')[0];
const ago = milliseconds => `${about((Date.now() - milliseconds) / 1000)} ago`;
const clock = date =>
    date.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});
function fullTime(rfc3339) {
    const at = Date.parse(rfc3339 || '');
    return Number.isNaN(at) ? '' : new Date(at).toLocaleString([], {
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
        timeZoneName: 'short'
    });
}
// The same as short as it is clear: today's without the date. In full where the pointer rests.
function shortTime(rfc3339) {
    const at = new Date(Date.parse(rfc3339 || '')), now = new Date();
    if (Number.isNaN(at.getTime())) return '';
    const text = at.toDateString() === now.toDateString() ? clock(at) : at.toLocaleString([], {
        month: 'short',
        day: 'numeric',
        year: at.getFullYear() === now.getFullYear() ? undefined : 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23'
    });
    return el('time', {datetime: rfc3339, title: fullTime(rfc3339)}, text);
}
const many = (n, one, more) => `${n.toLocaleString('en')} ${n === 1 ? one : more || one + 's'}`;

const THEMES = ['auto', 'light', 'dark'];
function setTheme(theme) {
    if (!THEMES.includes(theme)) theme = 'auto';
    document.documentElement.dataset.theme = theme;
    put($('theme'), `Theme: ${theme}`);
    kept.set('theme', theme);
}
function startTheme() {
    setTheme(kept.get('theme') || 'auto');
    $('theme').onclick = () => setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]);
}
