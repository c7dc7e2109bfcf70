import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A listener as the settings have it. */
export type ListenerAddress = { readonly host: string; readonly port: number; readonly isTls: boolean }

/** The answer of a listener of this machine: what is needed of it. */
export type LocalAnswer = { readonly status: number; readonly text: string }

const timeoutMs = 2_000
const maxTextChars = 100_000

/**
 * Asks a listener of this machine, whatever name its certificate has. Undefined where nothing speaks HTTP.
 * @param target path and query
 */
export const askLocal = (
  { host, port, isTls }: ListenerAddress,
  target: string,
  method: 'GET' | 'HEAD' = 'GET',
): Promise<LocalAnswer | undefined> =>
  new Promise(done => {
    const options = { host: toLocalHost(host), port, path: target, method, timeout: timeoutMs, agent: false }
    const request = isTls ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options)
    request.once('timeout', () => request.destroy(new Error('no answer')))
    request.once('error', () => done(undefined))
    request.once('response', response => {
      let text = ''
      const end = (): void => done({ status: response.statusCode ?? 0, text: text.slice(0, maxTextChars) })
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += String(chunk)
        if (text.length > maxTextChars) response.destroy()
      })
      response.once('close', end)
      response.once('error', () => {})
    })
    request.end()
  })

/** An address to reach a listener by that has all of them. */
export const toLocalHost = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)
