/** A real proxy with the configuration that is shipped for it: only its addresses are others. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startDaemon } from '../../scripts/daemon.ts'
import { findProgram } from '../../scripts/find-program.ts'
import { findFreePorts } from '../../scripts/free-ports.ts'

/** Where a collector listens on this machine. */
export type CollectorPorts = { readonly server: number; readonly scribe: number }

/** In front of some collectors. */
export type ShippedProxy = {
  readonly port: number
  /** Its port for Scribe; undefined without one. */
  readonly scribePort: number | undefined
  /** What is done to the proxy before a collector is stopped, and once it is there again. */
  leave(collector: number): Promise<void>
  join(collector: number): Promise<void>
  close(): Promise<void>
}

const inSbin = ['/usr/sbin', '/usr/local/sbin']
export const haproxy = await findProgram('haproxy', [], inSbin)
export const nginx = await findProgram('nginx', [], inSbin)

const deploy = join(import.meta.dirname, '../../deploy')

/** HAProxy, which looks at the readiness of collectors by itself: nothing is done to it when one leaves. */
export const startHaproxy = async (collectors: readonly CollectorPorts[]): Promise<ShippedProxy> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-haproxy-'))
  const [port = 0, scribePort = 0] = await findFreePorts(2)
  const shipped = await readFile(join(deploy, 'haproxy/haproxy.cfg'), 'utf8')
  const config = withAddresses(shipped, collectors)
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('bind :7911', `bind 127.0.0.1:${scribePort}`)
  await writeFile(join(directory, 'haproxy.cfg'), config)
  const daemon = await startDaemon({
    command: haproxy ?? 'haproxy',
    args: ['-db', '-f', join(directory, 'haproxy.cfg')],
    logFile: join(directory, 'log'),
    detached: false,
  })
  const proxy: ShippedProxy = {
    port,
    scribePort,
    leave: () => Promise.resolve(),
    join: () => Promise.resolve(),
    close: async () => {
      await daemon.kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return await answering(proxy)
}

/** nginx, configured for a collector that leaves: `down` after its address, and a reload. */
export const startNginx = async (collectors: readonly CollectorPorts[]): Promise<ShippedProxy> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-nginx-'))
  const [port = 0] = await findFreePorts(1)
  const shipped = await readFile(join(deploy, 'nginx/sluice.conf'), 'utf8')
  const site = withAddresses(shipped, collectors).replace('listen 8080;', `listen 127.0.0.1:${port};`)
  const args = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr']
  await writeFile(join(directory, 'nginx.conf'), around)
  await writeFile(join(directory, 'sluice.conf'), site)
  const daemon = await startDaemon({
    command: nginx ?? 'nginx',
    args,
    logFile: join(directory, 'log'),
    detached: false,
  })
  const reload = async (sluice: string): Promise<void> => {
    await writeFile(join(directory, 'sluice.conf'), sluice)
    await promisify(execFile)(nginx ?? 'nginx', [...args, '-s', 'reload'])
  }
  const proxy: ShippedProxy = {
    port,
    scribePort: undefined,
    leave: async index => {
      const address = `server 127.0.0.1:${collectors[index]?.server}`
      await reload(site.replace(`${address};`, `${address} down;`))
    },
    join: () => reload(site),
    close: async () => {
      await promisify(execFile)(nginx ?? 'nginx', [...args, '-s', 'stop']).catch(() => {})
      await daemon.exit
      await rm(directory, { recursive: true, force: true })
    },
  }
  return await answering(proxy)
}

/** The rest of an nginx configuration, around the shipped file. */
const around = `daemon off;
pid nginx.pid;
error_log stderr;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  include sluice.conf;
}
`

const withAddresses = (config: string, collectors: readonly CollectorPorts[]): string =>
  collectors.reduce(
    (text, { server, scribe }, index) =>
      text
        .replaceAll(`192.0.2.${11 + index}:8080`, `127.0.0.1:${server}`)
        .replaceAll(`192.0.2.${11 + index}:7911`, `127.0.0.1:${scribe}`),
    config,
  )

/** Resolves when a collector answers through it. */
const answering = async (proxy: ShippedProxy): Promise<ShippedProxy> => {
  for (let i = 0; i < 1_000; i++) {
    const answer = await fetch(`http://127.0.0.1:${proxy.port}/readyz`).catch(() => undefined)
    if (answer?.ok) return proxy
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  await proxy.close()
  throw new Error('The proxy has not passed a request on')
}
