// The application on the HTTP server of the runtime itself, Deno.serve or Bun.serve, instead of the Node edge. Takes
// settings as the process does; prints one line with the addresses; ends on SIGTERM, after everything is committed.
import { readFileSync } from 'node:fs'
import { createApp } from '../../../src/app/app.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'

type Handler = (request: Request) => Response | Promise<Response>
type Listening = { readonly port: number; readonly stop: () => Promise<void> }

const { Deno, Bun } = globalThis as unknown as {
  Deno?: {
    serve(options: object, handler: Handler): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
  }
  Bun?: { serve(options: object): { readonly port: number; stop(): Promise<void> } }
}

const serve = (fetch: Handler): Listening => {
  const address = { port: 0, hostname: '127.0.0.1' }
  if (Bun !== undefined) {
    const server = Bun.serve({ ...address, fetch })
    return { port: server.port, stop: () => server.stop() }
  }
  if (Deno === undefined) throw new Error('Neither Deno nor Bun')
  const server = Deno.serve({ ...address, onListen: () => {} }, fetch)
  return { port: server.addr.port, stop: () => server.shutdown() }
}

const { settings } = loadConfig({
  argv: process.argv.slice(2),
  env: {},
  cwd: process.cwd(),
  readFile: path => readFileSync(path, 'utf8'),
})
const app = await createApp({ settings, logger: silentLogger })
const server = serve(async request => await app.fetch(request))
const admin = serve(async request => await app.adminFetch(request))
process.on('SIGTERM', () => {
  void (async () => {
    await Promise.all([server.stop(), admin.stop()])
    await app.close()
    process.exit(0)
  })()
})
const toUrl = ({ port }: Listening): string => `http://127.0.0.1:${port}`
console.log(JSON.stringify({ msg: 'sluice is ready', server: toUrl(server), admin: toUrl(admin) }))
