/** nginx as a beacon, and as a proxy with TLS. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import { start } from '../process.ts'
import type { Certificate } from '../servers.ts'
import { Skipped } from '../trial.ts'
import type { Other, Started } from './other.ts'

/**
 * Every request is answered with 202 by the configuration alone, and leaves a line in the access log.
 * @param logOptions of `access_log`, after the format: none for a write of each line
 */
export const createNginx = (logOptions: string): Other => ({
  describe,
  start: directory =>
    startNginx(directory, port => ({
      accessLog: `access.log combined ${logOptions}`,
      server: `listen 127.0.0.1:${port}; location / { return 202; }`,
    })),
})

/** Passes TLS connections on to an HTTP server; all defaults, but that nothing is put on the disk meanwhile. */
export const startTlsProxy = async (
  directory: string,
  { cert, key }: Certificate,
  target: string,
): Promise<Started> => {
  const server = await startNginx(directory, port => ({
    accessLog: 'off',
    server: `listen 127.0.0.1:${port} ssl;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    proxy_max_temp_file_size 0;
    location / { proxy_pass ${target}; }`,
  }))
  return { ...server, url: server.url.replace('http:', 'https:') }
}

/** What its configuration says of one server. */
type Site = { readonly accessLog: string; readonly server: string }

const startNginx = async (directory: string, toSite: (port: number) => Site): Promise<Started> => {
  await describe()
  const [port = 0] = await findFreePorts(1)
  await writeFile(join(directory, 'nginx.conf'), toConfig(toSite(port)))
  const program = {
    program: 'nginx',
    args: ['-p', directory, '-c', 'nginx.conf'],
    core: 'server',
    cwd: directory,
  } as const
  const running = await start(program, isReady)
  return { pid: running.pid, url: `http://127.0.0.1:${port}`, stop: () => running.stop('SIGKILL') }
}

/** `nginx -v` says it on the standard error. */
const describe = async (): Promise<string> => {
  try {
    const { stderr } = await promisify(execFile)('nginx', ['-v'])
    return `nginx ${/nginx\/([\d.]+)/.exec(stderr)?.[1] ?? 'of an unknown version'}`
  } catch (cause) {
    throw Object.assign(new Skipped('no nginx: "nginx" is not on the PATH'), { cause })
  }
}

/** Its last notice before it takes connections; it listens by then. */
const isReady = (line: string): boolean => line.includes('getrlimit(RLIMIT_NOFILE)')

/**
 * One process, so that nothing is left behind when that one is killed; with one worker it does the same work. Paths are
 * below the directory that `-p` names; those of modules that are not used must not be where only root may write.
 */
const toConfig = ({ accessLog, server }: Site): string => `daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events { worker_connections 4096; }
http {
  access_log ${accessLog};
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    ${server}
  }
}
`
