// Serves the page of this folder, starts a Sluice for its events, and opens both: `node docs/examples/page/run.js`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const isQuiet = process.argv.includes('--no-open')

/** Starts the server, with the settings of the environment; resolves to where it listens. */
const startSluice = () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-page-'))
  const words = [here('../../../bin/sluice.js'), 'serve', '--set', `data.dir=${directory}`, '--set', 'log.format=json']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', code => process.exit(code ?? 1))
  return new Promise(resolve => {
    createInterface(child.stdout).on('line', line => {
      const { server, admin, msg } = JSON.parse(line)
      if (server && admin) resolve({ server, admin, directory })
      else console.log(msg)
    })
  })
}

const open = url => {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  spawn(program, [url], { stdio: 'ignore' }).on('error', () => {})
}

const { server, admin, directory } = await startSluice()
const page = readFileSync(here('index.html'), 'utf8')
  .replaceAll('http://127.0.0.1:8080', server)
  .replaceAll('http://127.0.0.1:8081', admin)
const files = {
  '/': ['text/html; charset=utf-8', page],
  '/beacon.min.js': ['text/javascript', readFileSync(here('beacon.min.js'), 'utf8')],
}

const port = Number(process.env.PORT ?? 8000)
const site = createServer((request, response) => {
  const [type, body] = files[request.url?.split('?', 1)[0]] ?? []
  if (body === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'Content-Type': type }).end(body)
})
site.listen(port, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${site.address().port}/`
  console.log(`The page:   ${url}`)
  console.log(`Its events: ${admin}/#live`)
  console.log(`The files:  ${server}/rest/1.0/hdfs?path=/events   (in ${directory})`)
  console.log('Ctrl-C ends both.')
  if (!isQuiet) for (const address of [`${admin}/#live`, url]) open(address)
})
