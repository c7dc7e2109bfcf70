import * as Args from '@oclif/core/args'
import { serverCommand } from '../command/command.ts'
import { toOnePath } from '../files/remote-path.ts'
import { browserOf, openInBrowser } from '../server/browser.ts'

export const commands = {
  open: serverCommand({
    summary: 'Open a page of the server in the browser.',
    description:
      'A path of the file system, `console` or `docs`; the root directory without. Where there is no browser, or in a pipe, the address is printed alone. The console is on the management listener, the others on that of the gateway.',
    examples: ['sluice open', 'sluice open /events/PageView', 'sluice open console', 'sluice open docs --json'],
    args: { page: Args.string({ default: '/', description: 'a path, console or docs' }) },
    run: async ({ args, address, log, output }) => {
      const { url: management, gatewayUrl } = await address()
      const url = toPage(args.page, management, gatewayUrl)
      const browser = output === 'table' && process.stdout.isTTY ? browserOf(process.platform, process.env) : undefined
      log(url)
      return { url, opened: browser !== undefined && (await openInBrowser(url, browser)) }
    },
  }),
}

const toPage = (page: string, management: string, gatewayUrl: string): string => {
  if (page === 'console') return `${management}/`
  if (page === 'docs') return `${gatewayUrl}/docs`
  return `${gatewayUrl}/rest/1.0/hdfs?path=${encodeURIComponent(toOnePath(page)).replaceAll('%2F', '/')}`
}
