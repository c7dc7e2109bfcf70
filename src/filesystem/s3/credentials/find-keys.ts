import type { KeySource } from './aws-keys.ts'
import { createEnvironmentSource } from './environment.ts'
import { createInstanceRoleSource } from './instance-role.ts'
import { createProfileSource } from './profile.ts'
import { createWebIdentitySource, type WebIdentityOptions } from './web-identity.ts'

/** Where keys are looked for, in order: of a profile that is named in the settings there alone. */
export const toKeySources = (profile: string | undefined, options: WebIdentityOptions): readonly KeySource[] => {
  if (profile !== undefined) return [createProfileSource(profile, options)]
  return [
    createEnvironmentSource(options.env),
    createProfileSource(undefined, options),
    createWebIdentitySource(options),
    createInstanceRoleSource(options.ask, options.env),
  ]
}
