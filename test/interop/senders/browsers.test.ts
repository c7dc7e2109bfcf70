/** What SDKs for browsers do when the network fails, in pages of another origin, and what is in the files then. */
import { expect, test } from 'vitest'
import { describeBrowser } from '../../suites/browser.ts'
import { openSite } from '../../suites/site.ts'
import { browserSenders } from './browser-senders.ts'
import { bundleSdk } from './bundle-sdk.ts'
import { faults } from './faulty-proxy.ts'
import { names, sendThroughFault } from './send-through-faults.ts'

describeBrowser('SDKs for browsers', browser => {
  test.for(Object.entries(browserSenders))(
    '%s: each event once, though each request fails three times',
    async ([, { packageName, send, tryAgain, also = [], expected }]) => {
      const site = await openSite(await bundleSdk(packageName))
      const settings = [`collector.allowed-origins=${site.origin}`]
      const connectionCut = /^Failed to load resource: net::ERR_(?:EMPTY_RESPONSE|CONNECTION_RESET)$/
      const isExpected = new RegExp([connectionCut, expected ?? connectionCut].map(({ source }) => source).join('|'))
      try {
        const all = Object.values(faults).map(fault =>
          sendThroughFault(
            fault,
            async ({ url, delivered }) => {
              const page = await browser.open([site.origin, url], { expected: isExpected })
              await page.goto(`${site.origin}/`)
              await send(page, url, names)
              const deliver = async (): Promise<number> => {
                await tryAgain?.(page)
                return delivered.size
              }
              await expect.poll(deliver).toBe(names.length + also.length)
            },
            true,
            { settings, also },
          ),
        )
        await Promise.all(all)
      } finally {
        await site.close()
      }
    },
  )
})
