import { createServer } from 'node:http'
import { buildBeacon } from '../../../scripts/generate/beacon.ts'
import type { TestBrowser } from '../browser.ts'
import { findEvents, toMark } from '../marks.ts'
import { type Sending, typeOf } from './traffic.ts'

/** A page of another site, in a real browser, with the beacon. */
export type BeaconPage = {
  /** Sends by GET and by `sendBeacon`, and resolves when the browser has seen a 202 for each. */
  round(): Promise<void>
  close(): Promise<void>
}

const eventsOfRound = 20

/** Opens it; `url` is the collector. */
export const openBeaconPage = async (
  browser: TestBrowser,
  url: string,
  { issue, acknowledge }: Sending,
): Promise<BeaconPage> => {
  const code = await buildBeacon()
  const site = createServer((request, response) => {
    const isScript = request.url === '/beacon.min.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? code : toPage(url))
  })
  await new Promise<void>(done => site.listen(0, '127.0.0.1', done))
  const address = site.address()
  if (address === null || typeof address === 'string') throw new Error('The site has no TCP address')
  const origin = `http://127.0.0.1:${address.port}`
  const page = await browser.open([origin, url])
  await page.goto(`${origin}/`)
  return {
    round: async () => {
      const missing = new Set(Array.from({ length: eventsOfRound }, issue))
      const events = [...missing].map((n, i) => ({ name: typeOf(n), mark: toMark(n), byGet: i % 4 < 2 }))
      const { promise: answered, resolve: allAreIn, reject } = Promise.withResolvers<void>()
      page.on('response', response => {
        const request = response.request()
        const own = findEvents(Buffer.from(`${request.url()} ${request.postData() ?? ''}`))
        if (response.status() !== 202) return reject(new Error(`The page was answered ${response.status()}`))
        acknowledge(...own)
        for (const event of own) missing.delete(event)
        if (missing.size === 0) allAreIn()
      })
      await page.evaluate(`sendAll(${JSON.stringify(events)})`)
      await answered
      page.removeAllListeners('response')
    },
    close: async () => {
      site.closeAllConnections()
      await new Promise(done => site.close(done))
    },
  }
}

const toPage = (url: string): string => `<!doctype html>
<link rel="icon" href="data:,">
<title>A page that tells what is done with it</title>
<script type="module">
  import { createBeacon, field } from './beacon.min.js'
  const beacon = createBeacon({ url: ${JSON.stringify(url)} })
  globalThis.sendAll = events => {
    for (const { name, mark, byGet } of events) {
      if (byGet) beacon.get(name, field.text(mark))
      else if (!beacon.send(name, { mark })) throw new Error('The browser did not take the beacon')
    }
  }
</script>`
