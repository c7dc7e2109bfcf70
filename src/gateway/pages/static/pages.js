// What the browsing pages can do beyond plain HTML: upload several files, by button or drop, with progress; open a row by
// a click anywhere on it; copy lines for other programs; and keys. The pages work without it. An ES module for browsers, sent as it is.

/**
 * Sends files one after another; with `overwrite` in place of those that are there.
 * @typedef {(files: Iterable<File>, overwrite: boolean) => void} Add
 * @typedef {{ directory: string, file: File, overwrite: boolean, line: HTMLElement, state: HTMLElement, bar: HTMLProgressElement, cancel: HTMLButtonElement, add: Add }} Job
 */

/** Rows that are searched before the user has to ask for more. */
const maxFoundRows = 100
/** Of one answer. */
const maxNotices = 3

/** @type {HTMLDetailsElement | null} */
const panel = document.querySelector('details.upload')
if (panel !== null) enhanceUpload(panel)
/** @type {HTMLFormElement | null} */
const selection = document.querySelector('#selected')
if (selection !== null) enhanceSelection(selection)
/** @type {NodeListOf<HTMLTableElement>} */
const tables = document.querySelectorAll('.rows table')
for (const table of tables) enhanceRows(table)
/** @type {HTMLElement | null} */
const search = document.querySelector('.range.top[data-cut]')
if (search !== null) void continueSearch(search)
/** @type {NodeListOf<HTMLElement>} */
const snippets = document.querySelectorAll('.use section')
/** @type {HTMLElement | null} */
const crumbs = document.querySelector('.crumbs')
if (isSecureContext) {
  for (const snippet of snippets) enhanceSnippet(snippet)
  if (crumbs !== null) enhancePath(crumbs)
}
/** @type {readonly { key: string, what: string, act: () => void }[]} */
const keys = [
  { key: '/', what: 'Go to the filter', act: () => focusOn('#where, #filter') },
  { key: 'j', what: 'Next row or entry', act: () => step(1) },
  { key: 'k', what: 'Previous row or entry', act: () => step(-1) },
  { key: 'n', what: 'Next page', act: () => follow('next') },
  { key: 'p', what: 'Previous page', act: () => follow('prev') },
  { key: '?', what: 'Show these keys', act: showKeys },
]
addEventListener('keydown', onKey)

/**
 * The part of the page that its script relies on.
 * @template {Element} Part
 * @param {Element} parent
 * @param {string} selector
 * @param {new () => Part} type
 * @returns {Part}
 */
function find(parent, selector, type) {
  const found = parent.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}`)
  return found
}

/**
 * Takes the upload form over: uploads are queued and sent one after another.
 * @param {HTMLDetailsElement} details
 */
function enhanceUpload(details) {
  const form = find(details, 'form', HTMLFormElement)
  const input = find(form, 'input[type=file]', HTMLInputElement)
  const list = find(details, '.transfers', HTMLElement)
  const directory = details.dataset['directory'] ?? '/'
  /** @type {Job[]} */
  const queue = []
  let isBusy = false
  let hasChanged = false

  input.multiple = true
  find(form, 'label', HTMLLabelElement).textContent = 'Choose files, or drop them anywhere on this page'
  const folder = document.createElement('input')
  folder.type = 'file'
  folder.webkitdirectory = true
  const label = document.createElement('label')
  label.append('Or a directory with all in it ', folder)
  input.after(label)
  folder.addEventListener('change', () => {
    add([...(folder.files ?? [])], false)
    folder.value = ''
  })

  const next = async () => {
    if (isBusy) return
    isBusy = true
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (await send(job)) hasChanged = true
    }
    isBusy = false
    if (!hasChanged) return
    hasChanged = false
    // The listing shows what arrived; what failed stays to be read.
    if (list.querySelector('.failed') === null) location.reload()
    else await refreshListing()
  }
  /** @type {Add} */
  const add = (files, overwrite) => {
    details.open = true
    for (const file of files) {
      const line = createLine(toName(file))
      list.append(line.line)
      queue.push({ ...line, directory, file, overwrite, add })
    }
    void next()
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    add([...(input.files ?? [])], event.submitter?.hasAttribute('formaction') ?? false)
    form.reset()
  })
  addEventListener('beforeunload', event => {
    if (isBusy) event.preventDefault()
  })
  enhanceDrop(details, add)
}

/**
 * Files may be dropped anywhere; the panel opens and shows where they go.
 * @param {HTMLDetailsElement} details
 * @param {Add} add
 */
function enhanceDrop(details, add) {
  /** @param {DragEvent} event */
  const hasFiles = event => event.dataTransfer?.types.includes('Files') ?? false
  let depth = 0
  /** @param {number} change */
  const mark = change => {
    depth = Math.max(0, depth + change)
    document.body.classList.toggle('dropping', depth > 0)
  }
  addEventListener('dragenter', event => {
    if (!hasFiles(event)) return
    details.open = true
    mark(1)
  })
  addEventListener('dragleave', event => {
    if (hasFiles(event)) mark(-1)
  })
  addEventListener('dragover', event => {
    if (hasFiles(event)) event.preventDefault()
  })
  addEventListener('drop', event => {
    if (!hasFiles(event)) return
    event.preventDefault()
    mark(-depth)
    add([...(event.dataTransfer?.files ?? [])], false)
  })
}

/** Below the directory that was chosen, if it was one. @param {File} file */
function toName(file) {
  return file.webkitRelativePath || file.name
}

/** Shows the entries as they are now. */
async function refreshListing() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const listing = page.querySelector('.listing')
  if (listing !== null) document.querySelector('.empty')?.replaceWith(listing)
  const body = page.querySelector('.entries tbody')
  if (body !== null) document.querySelector('.entries tbody')?.replaceWith(body)
}

/**
 * A line of the list of transfers.
 * @param {string} fileName
 */
function createLine(fileName) {
  const line = document.createElement('li')
  const name = document.createElement('span')
  name.className = 'name'
  name.textContent = fileName
  const state = document.createElement('span')
  state.textContent = 'waiting'
  const bar = document.createElement('progress')
  bar.setAttribute('aria-label', `Upload of ${fileName}`)
  bar.max = 1
  bar.value = 0
  const cancel = document.createElement('button')
  cancel.type = 'button'
  cancel.textContent = 'Cancel'
  cancel.ariaLabel = `Cancel ${fileName}`
  cancel.addEventListener('click', () => {
    state.textContent = 'cancelled'
    cancel.remove()
  })
  line.append(name, state, bar, cancel)
  return { line, state, bar, cancel }
}

/**
 * Sends one file; resolves with whether it arrived. `fetch` does not report an upload's progress.
 * @param {Job} job
 * @returns {Promise<boolean>}
 */
function send({ directory, file, overwrite, line, state, bar, cancel, add }) {
  const path = `${directory === '/' ? '' : directory}/${toName(file)}`
  const url = `/rest/1.0?path=${encodeURIComponent(path.toWellFormed())}${overwrite ? '&overwrite=true' : ''}`
  return new Promise(resolve => {
    const request = new XMLHttpRequest()
    /** @param {string} message @param {boolean} [canReplace] */
    const fail = (message, canReplace = false) => {
      bar.remove()
      cancel.remove()
      state.className = 'failed'
      state.textContent = message
      const label = canReplace ? 'Replace it' : 'Try again'
      line.append(createRetry(label, toName(file), line, () => add([file], canReplace || overwrite)))
      resolve(false)
    }
    request.upload.addEventListener('progress', event => {
      bar.value = event.total === 0 ? 1 : event.loaded / event.total
      state.textContent =
        event.loaded < event.total ? `${Math.floor(100 * bar.value)} % of ${toSize(event.total)}` : 'being stored'
    })
    request.addEventListener('load', () => {
      if (request.status === 201) {
        bar.value = 1
        cancel.remove()
        state.textContent = 'done'
        resolve(true)
        return
      }
      const problem = parseProblem(request.responseText)
      const message = problem.detail ?? problem.title ?? `refused with status ${request.status}`
      fail(message, problem.code === 'exists')
    })
    request.addEventListener('error', () => fail('the connection broke'))
    request.addEventListener('abort', () => fail('cancelled'))
    // It was cancelled while it waited.
    if (!cancel.isConnected) return fail('cancelled')
    cancel.addEventListener('click', () => request.abort())
    request.open('POST', url)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.send(file)
  })
}

/** @param {string} label @param {string} name @param {HTMLElement} line @param {() => void} again */
function createRetry(label, name, line, again) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = label
  button.ariaLabel = `${label}: ${name}`
  button.addEventListener('click', () => {
    line.remove()
    again()
  })
  return button
}

/**
 * @param {string} text
 * @returns {{ code?: string, detail?: string, title?: string }}
 */
function parseProblem(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** @param {number} bytes */
function toSize(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1_000 ** step).toFixed(step > 0 ? 1 : 0)} ${units[step]}`
}

/**
 * Counts what is selected, and selects all entries of the page.
 * @param {HTMLFormElement} form
 */
function enhanceSelection(form) {
  /** As they are now: uploads change the listing. @returns {HTMLInputElement[]} */
  const findBoxes = () =>
    [...form.elements].filter(one => one instanceof HTMLInputElement).filter(one => one.type === 'checkbox')
  const count = find(form, '.count', HTMLElement)
  const all = document.createElement('input')
  all.type = 'checkbox'
  all.ariaLabel = 'Select all on this page'
  find(document.body, '.entries th', HTMLElement).prepend(all)
  const update = () => {
    const boxes = findBoxes()
    const chosen = boxes.filter(box => box.checked).length
    count.textContent = `${chosen} selected:`
    all.checked = chosen > 0 && chosen === boxes.length
    all.indeterminate = chosen > 0 && chosen < boxes.length
  }
  all.addEventListener('change', () => {
    for (const box of findBoxes()) box.checked = all.checked
    update()
  })
  addEventListener('change', update)
  // The boxes are reset after that.
  form.addEventListener('reset', () => setTimeout(update))
  update()
}

/**
 * A click on a row opens it, unless text is being selected or something else was meant.
 * @param {HTMLTableElement} table
 */
function enhanceRows(table) {
  table.classList.add('opens')
  find(table, 'tbody', HTMLElement).addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return
    if (target.closest('a, button') !== null || getSelection()?.isCollapsed === false) return
    const link = target.closest('tr')?.querySelector('.nr a')
    if (link instanceof HTMLElement) link.click()
  })
}

/**
 * Continues the search for rows, answer by answer, until there are enough, the file ends, or the user stops it; new
 * rows are added below earlier ones.
 * @param {HTMLElement} bar
 */
async function continueSearch(bar) {
  const stop = new AbortController()
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Stop'
  button.addEventListener('click', () => stop.abort())
  addEventListener('pagehide', () => stop.abort())
  const progress = document.createElement('progress')
  progress.ariaLabel = 'Searching'
  const state = find(bar, 'p', HTMLElement)
  state.role = 'status'
  const sum = toFigures(bar)
  let next = find(bar, 'a[rel=next]', HTMLAnchorElement).href
  find(bar, 'nav', HTMLElement).replaceChildren(progress, button)
  for (const other of document.querySelectorAll('.range.bottom')) other.remove()
  let end = ''
  while (next !== '' && end === '') {
    state.textContent = `Searching: found ${toRows(sum.found)} so far, looked at ${toRows(sum.to - sum.from)}, read ${toSize(sum.bytes)}.`
    if (sum.found >= maxFoundRows) break
    try {
      const answer = await fetch(next, { headers: { accept: 'text/html' }, signal: stop.signal })
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const own = page.querySelector('.range.top')
      if (!answer.ok || !(own instanceof HTMLElement))
        throw new Error(page.querySelector('h1, .fault')?.textContent ?? '')
      const figures = toFigures(own)
      sum.found += figures.found
      sum.bytes += figures.bytes
      sum.to = Math.max(sum.to, figures.to)
      for (const notice of [...page.querySelectorAll('main .notice')].slice(0, maxNotices))
        bar.before(document.adoptNode(notice))
      addRows(page)
      next = own.querySelector('a[rel=next]')?.getAttribute('href') ?? ''
    } catch (error) {
      end = stop.signal.aborted
        ? 'stopped'
        : `the search ended with an error: ${error instanceof Error ? error.message : 'no answer'}`
    }
  }
  if (next === '') end = 'to the end'
  state.textContent = `Found ${toRows(sum.found)}, looked at ${toRows(sum.to - sum.from)}, read ${toSize(sum.bytes)}${end === '' ? '' : `; ${end}`}.`
  const link = document.createElement('a')
  link.className = 'button'
  link.rel = 'next'
  link.href = next
  link.textContent = 'Continue'
  const hadFocus = document.activeElement === button
  find(bar, 'nav', HTMLElement).replaceChildren(...(next === '' ? [] : [link]))
  if (hadFocus) link.focus()
}

/** @param {HTMLElement} bar */
function toFigures(bar) {
  const { found, from, to, bytes } = bar.dataset
  return { found: Number(found), from: Number(from), to: Number(to), bytes: Number(bytes) }
}

/** @param {number} count */
function toRows(count) {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'row' : 'rows'}`
}

/** Adds the rows of an answer: to the table where they have its columns, else as one of their own. @param {Document} page */
function addRows(page) {
  const added = page.querySelector('.rows')
  if (!(added instanceof HTMLElement)) return
  const before = [...document.querySelectorAll('.rows')].at(-1)
  /** @param {Element} table */
  const toHeads = table => [...table.querySelectorAll('thead th')].map(head => head.textContent).join('\n')
  const body = before?.querySelector('tbody')
  if (before && body && toHeads(before) === toHeads(added)) {
    body.append(...(added.querySelector('tbody')?.children ?? []))
    return
  }
  const own = document.adoptNode(added)
  if (before) before.after(own)
  else document.querySelector('.range.top')?.after(own)
  for (const table of own.querySelectorAll('table')) enhanceRows(table)
}

/**
 * A button that copies a text, and shows the outcome. Pages loaded without TLS from another machine have no clipboard.
 * @param {string} text
 * @param {string} label
 * @param {string} title
 */
function createCopy(text, label, title) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = label
  button.title = title
  const state = document.createElement('span')
  state.className = 'dim'
  state.role = 'status'
  /** @param {string} message */
  const tell = message => {
    state.textContent = message
  }
  button.addEventListener('click', () => {
    button.after(state)
    tell('')
    void navigator.clipboard.writeText(text).then(
      () => tell('Copied'),
      () => tell('The browser did not allow it'),
    )
  })
  return button
}

/**
 * Puts a button beside lines that copies them.
 * @param {HTMLElement} section
 */
function enhanceSnippet(section) {
  const heading = find(section, 'h2', HTMLHeadingElement)
  const text = find(section, 'pre', HTMLPreElement).textContent
  heading.after(createCopy(text, 'Copy', `Copy the lines for ${heading.textContent}`))
}

/**
 * Adds a button after the path that copies it.
 * @param {HTMLElement} crumbs
 */
function enhancePath(crumbs) {
  const item = document.createElement('li')
  item.className = 'copy'
  const path = crumbs.dataset['path'] ?? '/'
  item.append(createCopy(path, 'Copy path', `Copy ${path}`))
  find(crumbs, 'ol', HTMLOListElement).append(item)
}

/**
 * Keys act only outside of input fields, and never with a modifier that browsers use themselves.
 * @param {KeyboardEvent} event
 */
function onKey(event) {
  const { target, key, defaultPrevented, ctrlKey, metaKey, altKey } = event
  if (defaultPrevented || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null) return
  if (key === 'Escape' && target instanceof HTMLInputElement && target.matches('#where, #filter')) {
    // A browser would empty it.
    event.preventDefault()
    target.blur()
    return
  }
  const isField = 'input:not([type=checkbox]), textarea, select, [contenteditable]'
  if (target instanceof Element && target.closest(isField) !== null) return
  const found = keys.find(one => one.key === key)
  if (found === undefined) return
  event.preventDefault()
  found.act()
}

/** @param {string} selector */
function focusOn(selector) {
  const found = document.querySelector(selector)
  if (found instanceof HTMLElement) found.focus()
}

/**
 * Puts the focus on the link of the next row, or from nowhere on the first.
 * @param {1 | -1} by
 */
function step(by) {
  /** @type {HTMLElement[]} */
  const links = [...document.querySelectorAll('.rows tbody .nr a, .entries tbody .name a')].filter(
    link => link instanceof HTMLElement,
  )
  const row = document.activeElement?.closest('tr')
  const at = links.findIndex(link => link.closest('tr') === row)
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
}

/** @param {'next' | 'prev'} rel */
function follow(rel) {
  const link = document.querySelector(`a[rel=${rel}]`)
  if (link instanceof HTMLElement) link.click()
}

/** Closed by Escape, or its button; the focus goes back by itself. */
function showKeys() {
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-label', 'Keys')
  const list = document.createElement('dl')
  for (const { key, what } of keys) {
    const term = document.createElement('dt')
    const name = document.createElement('kbd')
    name.textContent = key
    term.append(name)
    const meaning = document.createElement('dd')
    meaning.textContent = what
    list.append(term, meaning)
  }
  const close = document.createElement('button')
  close.type = 'button'
  close.textContent = 'Close'
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  dialog.append(list, close)
  document.body.append(dialog)
  dialog.showModal()
}
