/**
 * The real process around a tiny application: `GET /slow` is answered after `GET /release`. What `STUB_FAIL` says goes
 * wrong at start.
 */
import type { App, AppOptions } from '../../../src/app/app-type.ts'
import { run } from '../../../src/app/run.ts'
import { createEdge } from '../../../src/http/edge/node.ts'

class SpoolLocked extends Error {}

const createApp = async ({ settings, logger }: AppOptions): Promise<App> => {
  const failure = process.env['STUB_FAIL']
  if (failure === 'locked') throw new SpoolLocked('The spool is in use by process 1.')
  if (failure === 'bug') throw new TypeError('undefined is not a function')
  let release = (): void => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === '/release') release()
    if (pathname === '/slow') {
      logger.info({}, 'slow request arrived')
      await released
    }
    return new Response('done')
  }
  const closers: (() => Promise<void>)[] = []
  return {
    fetch,
    adminFetch: fetch,
    start: async () => {
      const server = { name: 'server', host: settings['server.host'], port: settings['server.port'] } as const
      const admin = { name: 'admin', host: settings['admin.host'], port: settings['admin.port'] } as const
      const edges = [await createEdge({ ...server, fetch, logger }), await createEdge({ ...admin, fetch, logger })]
      closers.push(...edges.map(edge => () => edge.close()))
      return edges.map(({ host, port, url }, index) => ({ name: index === 0 ? 'server' : 'admin', host, port, url }))
    },
    reopenLogs: () => {},
    reload: () => ({ changed: {}, pending: {} }),
    // The admin listener stays until the rest is done, so that a test can still reach `/release`.
    close: async () => {
      await closers[0]?.()
      await closers[1]?.()
    },
  }
}

await run(createApp)
