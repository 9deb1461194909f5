/** How `/docs` looks: one style sheet, light and dark. */

export const docsStyle = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5b6875; --paper: #fff; --panel: #f4f6f8; --line: #d8dee4; --accent: #0b6e4f; --get: #0a5fb4; --post: #0b6e4f; --put: #8a5a00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --soft: #9aa7b4; --paper: #14191f; --panel: #1c232b; --line: #303a45; --accent: #4cc38a; --get: #6cb2ff; --post: #4cc38a; --put: #e0b050; --delete: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; background: var(--panel); border-right: 1px solid var(--line); }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1rem 0 .25rem; }
nav a { display: block; color: inherit; text-decoration: none; padding: .1rem 0; font-size: .875rem; }
nav a:hover, nav a:focus-visible { color: var(--accent); }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
h1 { margin: 0 0 .25rem; }
label { display: block; margin: .5rem 0; font-size: .875rem; }
input, select, textarea, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .55rem; }
input, textarea { width: 100%; }
textarea { min-height: 7rem; font-family: ui-monospace, monospace; font-size: .8125rem; }
button { background: var(--accent); border-color: var(--accent); color: var(--paper); cursor: pointer; font-weight: 600; }
button.plain { background: none; color: inherit; border-color: var(--line); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
details.operation { border: 1px solid var(--line); border-radius: 8px; margin: .6rem 0; }
details.operation > summary { padding: .6rem .8rem; cursor: pointer; display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap; }
details.operation > div { padding: 0 .9rem .9rem; border-top: 1px solid var(--line); }
.method { font: 700 .8125rem ui-monospace, monospace; min-width: 4rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
.path { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td:first-child { white-space: nowrap; }
td:nth-child(2) { min-width: 7rem; max-width: 20rem; }
th { font-weight: 600; color: var(--soft); }
code, pre { font-family: ui-monospace, monospace; font-size: .8125rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; overflow: auto; max-height: 24rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.answer img { background: #fff; max-width: 100%; }
.row { display: flex; gap: .5rem; flex-wrap: wrap; margin: .6rem 0; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; max-height: 14rem; } main { padding: 1rem; } }
`;
