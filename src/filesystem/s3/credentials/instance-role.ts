import type { Ask } from '../../webhdfs/transport/ask.ts'
import { askText } from './ask-text.ts'
import { type KeySource, keysFromJson } from './aws-keys.ts'
import type { Environment } from './environment.ts'

/** Outside of AWS this address does not answer at all. */
const timeoutMs = 2_000
/** Of the word that lets one ask, for as long as a round of questions takes. */
const tokenSeconds = 60

/** Keys of the role that an instance of EC2 has, by version 2 of its metadata service. */
export const createInstanceRoleSource = (ask: Ask, env: Environment): KeySource => ({
  name: 'the instance role',
  load: async () => {
    if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined
    const base = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || 'http://169.254.169.254'
    const at = (path: string): URL => new URL(`${base.replace(/\/+$/, '')}/latest/${path}`)
    const how = { peer: `the instance metadata at ${at('').host}`, timeoutMs }
    const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': String(tokenSeconds) }
    const token = await askText(ask, at('api/token'), { method: 'PUT', headers: ttl, ...how })
    const get = (path: string): Promise<string> =>
      askText(ask, at(path), { method: 'GET', headers: { 'x-aws-ec2-metadata-token': token.trim() }, ...how })
    const [role = ''] = (await get('meta-data/iam/security-credentials/')).split('\n')
    if (role.trim() === '') throw new Error('the instance has no role')
    const keys = keysFromJson(await get(`meta-data/iam/security-credentials/${encodeURIComponent(role.trim())}`))
    if (keys === undefined) throw new Error('the instance metadata answered without credentials')
    return keys
  },
})
