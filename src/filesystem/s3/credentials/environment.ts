import type { KeySource } from './aws-keys.ts'

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Keys in variables, which do not end. */
export const createEnvironmentSource = (env: Environment): KeySource => ({
  name: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  load: async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
    const { AWS_SESSION_TOKEN: sessionToken } = env
    if (!accessKeyId && !secretAccessKey) return undefined
    if (!accessKeyId || !secretAccessKey) throw new Error('only one of them is set')
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  },
})

/** Those of this process. */
export const processEnvironment = (): Environment => process.env
