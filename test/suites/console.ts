import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { createTestServer, type TestServer, type TestServerOptions } from './admin.ts'
import type { TestBrowser } from './browser.ts'

/** Servers with a console, and their pages, for the tests of one `describe`; all are closed behind it. */
export const createConsoles = (browser: TestBrowser) => {
  const servers: TestServer[] = []
  afterAll(() => Promise.all(servers.map(server => server.close())))
  return {
    start: async (options: TestServerOptions = {}): Promise<TestServer> => {
      const server = await createTestServer({ ...options, transport: 'node' })
      servers.push(server)
      return server
    },
    open: async (server: TestServer, path = '/', options?: BrowserContextOptions): Promise<Page> => {
      const page = await browser.open(server.adminUrl, options)
      await page.goto(`${server.adminUrl}${path}`)
      return page
    },
  }
}
