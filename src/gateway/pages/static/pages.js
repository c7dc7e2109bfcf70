// What the browsing pages can do beyond plain HTML: upload several files, by button or drop, with progress; and open a
// row by a click anywhere on it. The pages work without it. An ES module for browsers, sent as it is.

const panel = document.querySelector('details.upload')
if (panel !== null) enhanceUpload(panel)
for (const table of document.querySelectorAll('.rows table')) enhanceRows(table)

/** Takes the upload form over: uploads are queued and sent one after another. */
function enhanceUpload(details) {
  const form = details.querySelector('form')
  const input = form.querySelector('input[type=file]')
  const list = details.querySelector('.transfers')
  const queue = []
  let isBusy = false
  let hasChanged = false

  input.multiple = true
  form.querySelector('label').textContent = 'Choose files, or drop them anywhere on this page'

  const next = async () => {
    if (isBusy) return
    isBusy = true
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (await send(job)) hasChanged = true
    }
    isBusy = false
    // The listing shows what arrived; what failed stays to be read.
    if (hasChanged && list.querySelector('.failed') === null) location.reload()
  }
  const add = (files, overwrite) => {
    details.open = true
    for (const file of files) queue.push(createJob(details.dataset.directory, file, overwrite, list, retry))
    void next()
  }
  const retry = (file, overwrite) => add([file], overwrite)

  form.addEventListener('submit', event => {
    event.preventDefault()
    add([...input.files], event.submitter?.hasAttribute('formaction') ?? false)
    form.reset()
  })
  addEventListener('beforeunload', event => {
    if (isBusy) event.preventDefault()
  })
  enhanceDrop(details, add)
}

/** Files may be dropped anywhere; the panel opens and shows where they go. */
function enhanceDrop(details, add) {
  const hasFiles = event => event.dataTransfer?.types.includes('Files') ?? false
  let depth = 0
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
    add([...event.dataTransfer.files], false)
  })
}

/** A line in the list of transfers, and what is needed to send the file. */
function createJob(directory, file, overwrite, list, retry) {
  const line = document.createElement('li')
  const name = document.createElement('span')
  name.className = 'name'
  name.textContent = file.name
  const state = document.createElement('span')
  state.textContent = 'waiting'
  const bar = document.createElement('progress')
  bar.setAttribute('aria-label', `Upload of ${file.name}`)
  bar.max = 1
  bar.value = 0
  line.append(name, state, bar)
  list.append(line)
  return { directory, file, overwrite, line, state, bar, retry }
}

/** Sends one file; resolves with whether it arrived. `fetch` tells nothing of an upload's progress. */
function send({ directory, file, overwrite, line, state, bar, retry }) {
  const path = `${directory === '/' ? '' : directory}/${file.name}`
  const url = `/rest/1.0?path=${encodeURIComponent(path.toWellFormed())}${overwrite ? '&overwrite=true' : ''}`
  return new Promise(resolve => {
    const request = new XMLHttpRequest()
    const fail = (code, message) => {
      bar.remove()
      state.className = 'failed'
      state.textContent = message
      if (code === 'exists') line.append(createRetry('Replace it', line, () => retry(file, true)))
      else line.append(createRetry('Try again', line, () => retry(file, overwrite)))
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
        state.textContent = 'done'
        resolve(true)
        return
      }
      const problem = parseProblem(request.responseText)
      fail(problem.code, problem.detail ?? problem.title ?? `refused with status ${request.status}`)
    })
    request.addEventListener('error', () => fail('', 'the connection broke'))
    request.open('POST', url)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.send(file)
  })
}

function createRetry(label, line, again) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = label
  button.addEventListener('click', () => {
    line.remove()
    again()
  })
  return button
}

function parseProblem(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function toSize(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${(bytes / 1024 ** step).toFixed(step > 0 ? 1 : 0)} ${units[step]}`
}

/** A click on a row opens it, unless text is being selected or something else was meant. */
function enhanceRows(table) {
  table.classList.add('opens')
  table.querySelector('tbody').addEventListener('click', event => {
    if (event.target.closest('a, button') !== null || getSelection()?.isCollapsed === false) return
    event.target.closest('tr')?.querySelector('.nr a')?.click()
  })
}
