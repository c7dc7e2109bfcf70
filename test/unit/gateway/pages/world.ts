import type { Hono } from 'hono'
import { SluiceError } from '../../../../src/errors.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { ToBodyOptions } from '../../../../src/gateway/context.ts'
import { createBrowse } from '../../../../src/gateway/pages/browse.ts'
import { type ConsoleAddress, createFrames, type FramesOptions } from '../../../../src/gateway/pages/frame/frames.ts'
import { createPages, type Pages, type PagesOptions } from '../../../../src/gateway/pages/pages.ts'
import { createWebHdfs } from '../../../../src/gateway/webhdfs/webhdfs.ts'
import { deletePath } from '../../../../src/gateway/write/delete-path.ts'
import { uploadFile } from '../../../../src/gateway/write/upload-file.ts'
import { type Auth, openAuth } from '../../../../src/http/auth/auth.ts'
import { toBaseCall } from '../../../../src/http/call/to-call.ts'
import { checkSource, loopbackHosts } from '../../../../src/http/origin/hosts.ts'
import type { Role } from '../../../../src/http/roles.ts'
import { type FlatFileSystem, flat } from '../../../suites/flat-filesystem.ts'
import { createMemoryFileSystem, type MemoryOptions } from '../../../suites/memory-filesystem.ts'
import { createReadContext } from '../../../suites/reads.ts'
import { createTestApp } from '../../contract/fixture.ts'

/** When it is in these tests. */
export const nowMs = Date.UTC(2026, 4, 3, 12)

/** Names that break pages, links and file systems that are careless. */
export const hostileNames: readonly string[] = [
  'a "quoted" name.txt',
  "it's.txt",
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)<',
  '50% + 1 #2 & more.txt',
  '%2e%2e%2f',
  'a;b=c?d=e',
  'two  spaces ',
  'new\nline.txt',
  'tab\there',
  '\u202Etxt.exe',
  '日本語 ファイル.txt',
  'é-ü-😀',
  'back\\slash',
  "'); DROP TABLE files;--",
  '{{7*7}}',
]

/** The pages over a file system in memory, as an application and as handlers. */
export type World = {
  readonly fileSystem: FlatFileSystem
  readonly pages: Pages
  /** GET as a browser does, redirects not followed. */
  readonly get: (target: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Text of a page that is there. */
  readonly page: (target: string, headers?: Readonly<Record<string, string>>) => Promise<string>
  readonly app: Hono
}

export type WorldOptions = {
  readonly fileSystem?: FileSystem
  readonly auth?: Auth
  /** What is said of the cluster. */
  readonly cluster?: Partial<FramesOptions['fileSystem']>
  /** Where the management listens. */
  readonly console?: ConsoleAddress
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly memory?: MemoryOptions
  /** Which mount keeps what of a path is deleted. @default nothing is kept */
  readonly trashOf?: (path: string) => string
}

/** Puts the pages together as the gateway does. */
export const createWorld = async (given: WorldOptions = {}): Promise<World> => {
  const { files = {}, memory = {}, auth = openAuth, cluster } = given
  const fileSystem = flat(given.fileSystem ?? createMemoryFileSystem({ now: () => nowMs - 7_200_000, ...memory }))
  for (const [path, content] of Object.entries(files)) await fileSystem.create(path, once(toBytes(content)))
  const context = { fileSystem, countReceived: () => {} } as unknown as Parameters<typeof uploadFile>[0]
  const webHdfs = createWebHdfs(context as Parameters<typeof createWebHdfs>[0])
  const write: PagesOptions['write'] = {
    webHdfsGet: call => webHdfs.webHdfsGet(call, () => ({})),
    webHdfsPut: call => webHdfs.webHdfsPut(call, () => {}),
    uploadFile: call => uploadFile(context, call, () => {}),
    deletePath: call => deletePath(context, call),
  }
  const frames = createFrames({
    fileSystem: { urlOf: () => fileSystem.url, problemOf: () => '', ...cluster },
    proof: auth.isOpen ? 'none' : 'token',
    ...(given.console ? { console: given.console } : {}),
  })
  const pages = createPages({
    frames,
    auth,
    write,
    trash: given.trashOf && { mountOf: given.trashOf, now: () => nowMs },
  })
  const readContext = createReadContext(fileSystem)
  const browse = createBrowse(readContext, frames, () => nowMs, given.trashOf)
  const app = createTestApp({
    handlers: { ...write, ...pages.handlers, browse: call => browse(call, noBodies) },
    guard: {
      authorize: (call, role) => auth.authorize(call, role),
      checkSource: context => checkSource(toBaseCall(context), { allowedHosts: loopbackHosts, secure: false }),
      renderError: (error, context) => pages.toErrorResponse(error, toBaseCall(context)),
    },
  })
  const get: World['get'] = async (target, headers) =>
    await app.request(`http://localhost${target}`, { headers: { host: 'localhost', accept: 'text/html', ...headers } })
  return {
    fileSystem,
    pages,
    app,
    get,
    page: async (target, headers) => {
      const response = await get(target, headers)
      if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`)
      return await response.text()
    },
  }
}

/** No page is long enough to be streamed. */
const noBodies: ToBodyOptions = () => ({})

/** A token of tests, `secret`; it is its session as well. */
export const createTokenAuth = (...roles: readonly Role[]): Auth => {
  const ann = { name: 'ann', has: (role: Role) => roles.includes(role) }
  return {
    ...openAuth,
    isOpen: false,
    logIn: async token => (token === 'secret' ? { identity: ann, open: () => token } : undefined),
    identify: call => (/(?:^|; )sluice-session=secret(?:;|$)/.test(call.header('cookie') ?? '') ? ann : undefined),
    authorize(call, role) {
      const identity = this.identify(call)
      if (identity === undefined) throw new SluiceError('unauthenticated', 'A valid token is needed')
      if (!identity.has(role)) throw new SluiceError('denied', `The token lacks the role ${role}`)
      return identity
    },
  }
}

const toBytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
