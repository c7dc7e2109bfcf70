import type { Handlers } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Auth } from '../../http/auth.ts'
import { readBaseStyle } from '../../http/base-style.ts'
import type { Call } from '../../http/call.ts'
import { createMarkMemory, type MarkMemory } from '../mark-memory.ts'
import { loadAsset } from './assets.ts'
import { createBrowse } from './browse.ts'
import { toErrorPage } from './error-page.ts'
import { createFormHandler, seeOther, type WriteHandlers } from './forms.ts'
import { type Frame, type Health, toPageResponse } from './layout.ts'
import { toBrowseLink } from './links.ts'
import { createLogin } from './login.ts'
import type { OpenFileRows } from './read-window.ts'

export type PagesOptions = {
  readonly fileSystem: FileSystem
  readonly openRows: OpenFileRows
  readonly auth: Auth
  /** Where the forms end up: the handlers that programs use. */
  readonly write: WriteHandlers
  /** Places in files, to read on from. @default its own memory */
  readonly marks?: MarkMemory
  /** Which cluster serves a path, for people. @default the file system's own address */
  readonly clusterOf?: (path: string) => string
  /** How that cluster is. @default what the page itself has met */
  readonly healthOf?: (path: string) => Health | undefined
  /** ms since the epoch. @default Date.now */
  readonly now?: () => number
}

/** What answers browsers. */
export type Pages = {
  /** Handlers of the operations that are pages, or parts of them. */
  readonly handlers: Pick<
    Handlers,
    'browse' | 'openRoot' | 'submitForm' | 'getLogin' | 'postLogin' | 'postLogout' | 'getPageStyle' | 'getPageScript'
  >
  /**
   * An error as a page, where the caller is a browser that asked for one (`Accept: text/html`); undefined for others.
   * Without a login it leads to the login page.
   */
  readonly toErrorResponse: (error: unknown, call: CallerOfPage) => Promise<Response> | undefined
}

/** What an error page looks at of a call. */
export type CallerOfPage = Pick<Call<unknown>, 'method' | 'target' | 'header'>

/** The pages of the gateway: rendered here, usable without script (the gateway's specification, parts 1 and 4). */
export const createPages = (options: PagesOptions): Pages => {
  const { fileSystem, auth, clusterOf = () => fileSystem.url, now = Date.now } = options
  const { marks: memory = createMarkMemory() } = options
  const style = loadAsset('pages.css', 'text/css; charset=utf-8', readBaseStyle())
  const script = loadAsset('pages.js', 'text/javascript; charset=utf-8')
  const bare: Frame = { styleUrl: style.url, scriptUrl: script.url }
  const toFrame = (call: CallerOfPage, path: string, health?: Health): Frame => {
    const user = auth.isOpen ? undefined : auth.identify(call)?.name
    if (!auth.isOpen && user === undefined) return bare
    return { ...bare, cluster: clusterOf(path), health: health ?? options.healthOf?.(path), user }
  }
  const browsePage = createBrowse({ fileSystem, openRows: options.openRows, memory, now })

  const toErrorResponse: Pages['toErrorResponse'] = (error, call) => {
    if (!isBrowser(call)) return undefined
    const isLogin = call.target.startsWith('/login')
    if (error instanceof SluiceError && error.code === 'unauthenticated' && !isLogin) {
      // A form cannot be sent again by following a link: begin at the top.
      const to = call.method === 'GET' ? call.target : '/'
      return Promise.resolve(seeOther(`/login?to=${encodeURIComponent(to)}`))
    }
    const path = toPath(call.target)
    const health = error instanceof SluiceError && error.code === 'unavailable' ? away(error) : undefined
    return toErrorPage(toFrame(call, path ?? '/', health), error, { target: call.target, path })
  }
  const login = createLogin({ auth, frame: bare })

  return {
    toErrorResponse,
    handlers: {
      browse: async call => {
        const made = await browsePage(call, { mayWrite: auth.identify(call)?.has('write') === true })
        return made instanceof Response ? made : await toPageResponse(toFrame(call, made.path ?? '/'), made)
      },
      submitForm: createFormHandler(options.write),
      openRoot: () => seeOther(toBrowseLink('/')),
      getLogin: login.get,
      postLogin: login.post,
      postLogout: login.out,
      getPageStyle: call => style.respond(call),
      getPageScript: call => script.respond(call),
    },
  }
}

/** Programs that take anything, or do not say, get what programs get. */
const isBrowser = (call: CallerOfPage): boolean => /\btext\/html\b/i.test(call.header('accept') ?? '')

const away = (error: SluiceError): Health => ({ code: 'ERROR', message: error.message })

/** The path that a request was about, where it can be used at all. */
const toPath = (target: string): string | undefined => {
  try {
    const path = new URL(target, 'http://sluice.invalid').searchParams.get('path')
    return path === null ? undefined : parsePath(path)
  } catch {
    return undefined
  }
}
