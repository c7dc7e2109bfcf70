import { buildBeacon } from '../../../scripts/generate/beacon.ts'
import type { TestBrowser } from '../browser.ts'
import { findEvents, toMark } from '../marks.ts'
import { openSite } from '../site.ts'
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
  const { origin, close } = await openSite(new Map([['/beacon.min.js', await buildBeacon()]]), toPage(url))
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
    close,
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
