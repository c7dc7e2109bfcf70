import type { Environment } from './environment.ts'
import { readProfile } from './profile-file.ts'

/** Where AWS' tools are where nothing is said, and what most other stores take. */
const defaultRegion = 'us-east-1'

/** The region that the environment or a profile names. */
export const findRegion = async (profile: string | undefined, env: Environment): Promise<string> => {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION']
  if (named && profile === undefined) return named
  const found = await readProfile(profile ?? (env['AWS_PROFILE'] || 'default'), env).catch(() => undefined)
  return found?.get('region') || named || defaultRegion
}
