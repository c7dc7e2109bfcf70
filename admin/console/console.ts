import { SluiceError } from '../../src/errors.ts'
import { pageHeaders } from '../../src/http/answers/security-headers.ts'
import type { Auth } from '../../src/http/auth/auth.ts'
import { type AdminCall, type AdminRoute, adminRoutes } from '../routes.ts'
import { readAssets } from './assets.ts'
import { postLogout, postSession, readSession } from './session.ts'

/** The dependencies of the console. */
export type ConsoleOptions = { readonly auth: Auth }

/**
 * The routes of the console: the page at `/`, its files below `/console/`, and the login of a browser at
 * `/console/session`. The files hold no secrets and are open; everything they show comes from `POST /rpc`.
 */
export const createConsole = ({ auth }: ConsoleOptions): readonly AdminRoute[] => {
  const assets = readAssets()
  const getAsset = (call: AdminCall): Response => {
    const asset = assets.get(call.target.split('?', 1).join(''))
    if (!asset) throw new SluiceError('not-found', 'The console has no such file')
    // Files change with the version of the server only; asking each time keeps page and modules of one version.
    return asset.respond(call, { ...pageHeaders, 'cache-control': 'no-cache' })
  }
  const session = (call: AdminCall): Response | Promise<Response> =>
    call.method === 'POST' ? postSession(call, auth) : readSession(call, auth)
  return [
    { ...adminRoutes.console, handle: getAsset },
    { ...adminRoutes.session, handle: session },
    { ...adminRoutes.logout, handle: call => postLogout(call, auth) },
    { ...adminRoutes.consoleFiles, handle: getAsset },
  ]
}
