/** The style of the page at `/docs`: light and dark by the reader's setting, one column on a phone. */
export const docsStyle = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #59626d; --page: #fff; --soft: #f3f5f7; --line: #d8dde3;
  --link: #0a58b5; --get: #0b6b43; --post: #0a58b5; --delete: #b3261e; --warn: #8a5200 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ed; --dim: #9aa5b1; --page: #14181d; --soft: #1d232a; --line: #343c46;
    --link: #7db5ff; --get: #5fd39b; --post: #7db5ff; --delete: #ff8a80; --warn: #ffc069 } }
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page) }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--page); z-index: 1 }
.frame { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 86rem; margin: 0 auto }
.side { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem 1.25rem;
  border-right: 1px solid var(--line) }
nav { font-size: .875rem }
nav h2 { margin: 1.25rem 0 .25rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--dim) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: flex; gap: .5rem; padding: .25rem .375rem; border-radius: 4px; color: inherit; text-decoration: none;
  overflow-wrap: anywhere }
nav li a:hover { background: var(--soft) }
main { padding: 1.5rem 2.5rem 5rem; min-width: 0; overflow-wrap: break-word }
main p, main ul { max-width: 46rem }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.2 }
h1 small { font-size: .875rem; font-weight: 400; color: var(--dim) }
main > section > h2 { margin: 3rem 0 .5rem; font-size: 1.375rem; text-transform: capitalize }
article { margin-top: 1.5rem; padding: 1.25rem 1.5rem; border: 1px solid var(--line); border-radius: 8px }
h3 { margin: 0 0 .25rem; font-size: 1.125rem }
h3 a { display: inline-flex; gap: .75rem; align-items: baseline; color: inherit; text-decoration: none; overflow-wrap: anywhere }
h3 a:hover { text-decoration: underline }
h4 { margin: 1.5rem 0 .5rem; font-size: .9375rem }
.summary { margin: 0 0 .75rem; font-weight: 600 }
.method { font: 700 .75rem/1.5 ui-monospace, monospace; color: var(--get); min-width: 3.1rem }
h3 .method { font-size: .875rem; min-width: 0 }
.post { color: var(--post) } .delete { color: var(--delete) }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
:not(pre) > code { padding: .1em .3em; background: var(--soft); border-radius: 3px; overflow-wrap: anywhere }
h3 code, nav code { background: none !important; padding: 0 !important }
pre { margin: .5rem 0; padding: .75rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border-radius: 6px }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9375rem }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { font-size: .8125rem; color: var(--dim); font-weight: 600 }
td:first-child { white-space: nowrap }
td p { margin: 0 }
.dim { color: var(--dim); font-size: .875rem } .must { color: var(--delete); font-size: .8125rem }
.status { font-weight: 700 } .status.good { color: var(--get) } .status.bad { color: var(--warn) }
details > summary { cursor: pointer; color: var(--link); padding: .2rem 0; width: fit-content }
@media (max-width: 52rem) {
  .frame { display: block }
  .side { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); padding: 1rem }
  nav ul { display: flex; flex-wrap: wrap; gap: .375rem }
  nav li a { padding: .375rem .625rem; border: 1px solid var(--line) }
  nav .method { min-width: 0 }
  main { padding: 1.25rem 1rem 4rem }
  article { padding: 1rem; margin-left: -.5rem; margin-right: -.5rem }
  .fields thead { position: absolute; left: -99rem }
  .fields tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line) }
  .fields td { display: block; border: 0; padding: .1rem 0; white-space: normal }
  .fields .scroll { overflow: visible }
}
@media print { .side, .skip { display: none } .frame { display: block } article { break-inside: avoid-page } }
`
