import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isRequired, realParts } from './hdfs.ts'

/** Where Linux distributions put Chromium, and what a machine may say instead. */
const candidates = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a Chromium is; undefined without one. */
export const findChromium = (): string | undefined => candidates.find(path => path !== undefined && existsSync(path))

/** What it is started with. */
export const browserFlags: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A test that waits in vain says so before its own time is over; nothing here may depend on how fast the machine is. */
const actionTimeoutMs = 60_000

/** A real browser for the tests of one `describe`. */
export type TestBrowser = {
  /**
   * Opens an empty page in a context of its own, which is closed after the test. The test fails when the page logs an
   * error (except a status from 400 on, or an answer that CORS withholds), opens a dialog, or asks another host than
   * those of `origins`.
   */
  open(origins: string | readonly string[], options?: PageOptions): Promise<Page>
}

/** How a page is opened. */
export type PageOptions = BrowserContextOptions & {
  /** Errors that the page may log. @default none */
  readonly expected?: RegExp
}

/**
 * A `describe` that runs in a real Chromium. Without one it is skipped and says why, or fails when `SLUICE_REQUIRE`
 * names `browser`.
 */
export const describeBrowser = (name: string, body: (browser: TestBrowser) => void): void => {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    skip(name)
    return
  }
  describe(name, realParts, () => {
    let browser: Browser | undefined
    const complaints: string[] = []
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: [...browserFlags] })
    })
    afterAll(() => browser?.close())
    afterEach(async () => {
      await Promise.all((browser?.contexts() ?? []).map(context => context.close()))
      expect(complaints.splice(0)).toEqual([])
    })
    body({
      open: async (origins, { expected, ...options } = {}) => {
        const allowed = [origins].flat().map(origin => `${origin}/`)
        if (browser === undefined) throw new Error('The browser has not been started')
        const context = await browser.newContext(options)
        context.setDefaultTimeout(actionTimeoutMs)
        const page = await context.newPage()
        page.on('pageerror', error => complaints.push(error.message))
        page.on('console', message => {
          const text = message.text()
          const isExpected = isRefusal(text) || expected?.test(text) === true
          if (message.type() === 'error' && !isExpected) complaints.push(text)
        })
        page.on('dialog', dialog => {
          // Leaving is what the test wants; staying would keep its context from closing.
          if (dialog.type() === 'beforeunload') return void dialog.accept()
          complaints.push(`a dialog: ${dialog.message()}`)
          void dialog.dismiss()
        })
        page.on('request', request => {
          const url = request.url()
          if (!allowed.some(origin => url.startsWith(origin)) && !/^(?:data|blob):/.test(url))
            complaints.push(`a request to ${url}`)
        })
        return page
      },
    })
  })
}

const isRefusal = (text: string): boolean =>
  /^Failed to load resource: (?:the server responded|net::ERR_FAILED$)| blocked by CORS policy: /.test(text)

const skip = (name: string): void => {
  const reason = `${name}: no Chromium at ${candidates.filter(Boolean).join(', ')}`
  if (isRequired('browser')) {
    test(reason, () => {
      throw new Error(`SLUICE_REQUIRE has "browser", but there is ${reason}`)
    })
  } else {
    console.warn(`skipped ${reason}`)
    describe.skip(reason, () => test('needs Chromium', () => {}))
  }
}
