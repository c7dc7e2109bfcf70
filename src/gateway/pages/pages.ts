import type { Handlers } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Auth } from '../../http/auth/auth.ts'
import type { Call } from '../../http/call/call.ts'
import { toBrowseLink } from './elements/links.ts'
import { type RefusedForm, toFormAgain } from './forms/form-again.ts'
import type { WriteHandlers } from './forms/form-call.ts'
import { createFormHandler, seeOther } from './forms/forms.ts'
import { createLogin } from './forms/login.ts'
import type { TrashRules } from './forms/move-to-trash.ts'
import { toErrorPage, toRefusal } from './frame/error-page.ts'
import { type Frames, pageScript, pageStyle } from './frame/frames.ts'
import type { Health } from './frame/layout.ts'

export type PagesOptions = {
  readonly frames: Frames
  readonly auth: Auth
  /** Where the forms end up: the handlers that programs use. */
  readonly write: WriteHandlers
  /** What the forms keep of what they delete. @default nothing */
  readonly trash?: TrashRules | undefined
}

/** What answers browsers. */
export type Pages = {
  /** Handlers of the operations that are pages, or parts of them. */
  readonly handlers: Pick<
    Handlers,
    'openRoot' | 'submitForm' | 'getLogin' | 'postLogin' | 'postLogout' | 'getPageStyle' | 'getPageScript'
  >
  /**
   * An error as a page, where the caller is a browser that asked for one (`Accept: text/html`); undefined for others.
   * Without a login it leads to the login page.
   */
  readonly toErrorResponse: (error: unknown, call: CallerOfPage) => Promise<Response> | undefined
  /** The same for an address that does not exist, for any caller: it reveals nothing of the clusters. */
  readonly toMissingResponse: (error: unknown, call: CallerOfPage) => Promise<Response> | undefined
}

/** What an error page looks at of a call. */
export type CallerOfPage = Pick<Call<unknown>, 'method' | 'target' | 'header'>

/** What belongs to the pages beside {@link createBrowse}: login, forms, errors, style and script. */
export const createPages = ({ frames, auth, write, trash }: PagesOptions): Pages => {
  // The error goes its usual way to the edge, where programs get it; only browsers get the form that was sent.
  const refused = new WeakMap<SluiceError, RefusedForm>()
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
    const frame = frames.of(auth.identify(call), path ?? '/', health)
    const form = error instanceof SluiceError ? refused.get(error) : undefined
    if (form) return toRefusal(frame, error, toFormAgain(form, error))
    return toErrorPage(frame, error, { target: call.target, path })
  }
  const login = createLogin({ auth, frame: frames.bare })

  return {
    toErrorResponse,
    toMissingResponse: (error, call) =>
      isBrowser(call) ? toErrorPage(frames.bare, error, { target: call.target }) : undefined,
    handlers: {
      submitForm: createFormHandler(write, trash, (error, form) => void refused.set(error, form)),
      openRoot: () => seeOther(toBrowseLink('/')),
      getLogin: login.get,
      postLogin: login.post,
      postLogout: login.out,
      getPageStyle: call => pageStyle.respond(call),
      getPageScript: call => pageScript.respond(call),
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
