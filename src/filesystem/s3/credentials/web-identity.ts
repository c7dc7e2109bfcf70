import { readFile } from 'node:fs/promises'
import { childText, parseXml, type XmlElement } from '../../../formats/xml/xml-element.ts'
import type { Ask } from '../../webhdfs/transport/ask.ts'
import { askText } from './ask-text.ts'
import { type AwsKeys, type KeySource, toKeys } from './aws-keys.ts'
import type { Environment } from './environment.ts'

/**
 * A role, and the file with the token that allows assuming it: Kubernetes replaces the file before the token expires.
 */
export type WebIdentity = {
  readonly roleArn: string
  readonly tokenFile: string
  readonly sessionName?: string | undefined
}

export type WebIdentityOptions = {
  readonly ask: Ask
  readonly env: Environment
  readonly region: string
  readonly timeoutMs: number
}

/** Keys of the role that variables name, as of a service account of Kubernetes (IRSA). */
export const createWebIdentitySource = (options: WebIdentityOptions): KeySource => ({
  name: 'AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN',
  load: async () => {
    const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = options.env
    if (!tokenFile && !roleArn) return undefined
    if (!tokenFile || !roleArn) throw new Error('only one of them is set')
    return await assumeRole({ roleArn, tokenFile, sessionName: options.env['AWS_ROLE_SESSION_NAME'] }, options)
  },
})

/**
 * Keys of a role, by AWS' Security Token Service (`AssumeRoleWithWebIdentity`). The token goes in the body, since URLs get
 * into logs.
 */
export const assumeRole = async (
  { roleArn, tokenFile, sessionName = 'sluice' }: WebIdentity,
  { ask, env, region, timeoutMs }: WebIdentityOptions,
): Promise<AwsKeys> => {
  const token = await readFile(tokenFile, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`${tokenFile} cannot be read: ${cause.code ?? cause.message}`, { cause })
  })
  const url = new URL(env['AWS_ENDPOINT_URL_STS'] || `https://sts.${region}.amazonaws.com/`)
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: token.trim(),
  })
  const text = await askText(ask, url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
    peer: url.host,
    timeoutMs,
  })
  const keys = readCredentials(text)
  if (keys === undefined) throw new Error(`${url.host} answered without credentials`)
  return keys
}

const readCredentials = (text: string): AwsKeys | undefined => {
  const credentials = find(parseXml(text, 'the answer of STS'), 'Credentials')
  return credentials && toKeys(name => childText(credentials, name))
}

const find = (element: XmlElement, name: string): XmlElement | undefined => {
  if (element.name === name) return element
  for (const child of element.children) {
    const found = find(child, name)
    if (found) return found
  }
  return undefined
}
