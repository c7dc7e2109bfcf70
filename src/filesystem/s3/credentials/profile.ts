import type { AwsKeys, KeySource } from './aws-keys.ts'
import { runCredentialProcess } from './credential-process.ts'
import { type Profile, readProfile } from './profile-file.ts'
import { assumeRole, type WebIdentityOptions } from './web-identity.ts'

/**
 * Keys of a profile: written there, printed by its `credential_process`, or of its role by a web identity.
 * @param name absent: the one that AWS_PROFILE names, or `default` where there is one
 */
export const createProfileSource = (name: string | undefined, options: WebIdentityOptions): KeySource => {
  const named = name ?? (options.env['AWS_PROFILE'] || undefined)
  const wanted = named ?? 'default'
  return {
    name: `the profile ${wanted}`,
    load: async () => {
      const profile = await readProfile(wanted, options.env)
      if (profile === undefined && named !== undefined) throw new Error('no file of profiles has it')
      const keys = profile && (await keysOf(profile, options))
      if (keys === undefined && named !== undefined) throw new Error(lacksKeys)
      return keys
    },
  }
}

const lacksKeys =
  'it has neither keys, nor credential_process, nor role_arn with web_identity_token_file; single sign-on and source profiles are for a credential_process'

const keysOf = async (profile: Profile, options: WebIdentityOptions): Promise<AwsKeys | undefined> => {
  const [accessKeyId, secretAccessKey] = [profile.get('aws_access_key_id'), profile.get('aws_secret_access_key')]
  const sessionToken = profile.get('aws_session_token')
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  }
  const command = profile.get('credential_process')
  if (command) return await runCredentialProcess(command)
  const [roleArn, tokenFile] = [profile.get('role_arn'), profile.get('web_identity_token_file')]
  if (!roleArn || !tokenFile) return undefined
  return await assumeRole({ roleArn, tokenFile, sessionName: profile.get('role_session_name') }, options)
}
