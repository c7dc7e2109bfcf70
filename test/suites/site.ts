import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web site on a port of its own: an empty page, and scripts that pages of it may import. */
export type Site = { readonly origin: string; readonly close: () => Promise<void> }

/** Opens one. @param scripts by their paths @param html what is at every other path */
export const openSite = async (
  scripts: ReadonlyMap<string, string> = new Map(),
  html = '<!doctype html><link rel="icon" href="data:,"><title>Shop</title>',
): Promise<Site> => {
  const server = createServer(({ url = '' }, response) => {
    const script = scripts.get(url)
    const type = script === undefined ? 'text/html' : 'text/javascript'
    response.setHeader('content-type', `${type}; charset=utf-8`).end(script ?? html)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
