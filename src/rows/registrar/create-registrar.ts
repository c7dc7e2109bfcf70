import { createFileRegistrar, isSchemaDirectory } from './file-registrar.ts'
import { createHttpRegistrar, type HttpRegistrarOptions } from './http-registrar.ts'
import { noRegistrar, type Registrar } from './registrar.ts'

/** The settings of a server that say where schemas of event types come from. */
export type SettingsOfRegistrar = {
  readonly 'registrar.url': string | undefined
  readonly 'registrar.path': string | undefined
  readonly 'registrar.refresh-seconds': number
}

/** Whether the settings name a place of schemas. */
export const hasRegistrar = (settings: Omit<SettingsOfRegistrar, 'registrar.refresh-seconds'>): boolean =>
  settings['registrar.url'] !== undefined || settings['registrar.path'] !== undefined

/** The registrar of the settings; an empty one if none is set. @throws Error when the file cannot be used */
export const createRegistrar = async (
  settings: SettingsOfRegistrar,
  log: HttpRegistrarOptions['log'],
): Promise<Registrar> => {
  const { 'registrar.url': url, 'registrar.path': path } = settings
  const options = { refreshMs: settings['registrar.refresh-seconds'] * 1_000, ...(log ? { log } : {}) }
  if (path !== undefined && (await isSchemaDirectory(path))) {
    // What compiles schemas is loaded only where there are some.
    const { createDirectoryRegistrar } = await import('./directory-registrar.ts')
    return await createDirectoryRegistrar({ path, ...options })
  }
  if (path !== undefined) return await createFileRegistrar({ path, ...options })
  return url === undefined ? noRegistrar : createHttpRegistrar({ url, ...options })
}
