import { createRequire } from 'node:module'
import { installForeign } from '../../foreign/install.ts'

/** An SDK of another make, unchanged. */
export const loadSdk = async <Sdk>(name: string): Promise<Sdk> => {
  await installForeign()
  return createRequire(new URL('../../foreign/install.ts', import.meta.url))(name) as Sdk
}
