import { createHttpRegistrar, type HttpRegistrarOptions } from './http-registrar.ts'
import { noRegistrar, type Registrar } from './registrar.ts'

/** The settings of a server that say which registrar it asks. */
export type SettingsOfRegistrar = {
  readonly 'registrar.url': string | undefined
  readonly 'registrar.refresh-seconds': number
}

/** The registrar of the settings; one that knows nothing where there is none. */
export const createRegistrar = (settings: SettingsOfRegistrar, log: HttpRegistrarOptions['log']): Registrar => {
  const url = settings['registrar.url']
  const refreshMs = settings['registrar.refresh-seconds'] * 1_000
  return url === undefined ? noRegistrar : createHttpRegistrar({ url, refreshMs, ...(log ? { log } : {}) })
}
