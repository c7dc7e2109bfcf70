import { answerShared } from '../http/answers/shared-answer.ts'
import { toOrigin } from '../http/origin/origin.ts'
import type { Contract } from './contract.ts'
import { renderDocsPage } from './docs-page.ts'
import { docsStyle } from './docs-style.ts'
import type { Handlers } from './operations.ts'

/** A placeholder in the page for the address that answers, in examples. */
const anyOrigin = 'http://origin.invalid'

/** The handlers of `/openapi.json` and `/docs`, which are made once, on the first call, and shared by all answers. */
export const createDocsHandlers = (contract: Contract): Pick<Handlers, 'getContract' | 'getDocs'> => {
  let json: Uint8Array | undefined
  let page: Promise<readonly [readonly Uint8Array[], Record<string, string>]> | undefined
  return {
    getContract: () => {
      json ??= encoder.encode(JSON.stringify(contract.document))
      return answerShared([json], { ...safetyHeaders, 'content-type': 'application/json; charset=utf-8' })
    },
    getDocs: async call => {
      page ??= createPage(contract)
      const [parts, headers] = await page
      const origin = encoder.encode(toOrigin(call))
      return answerShared(
        parts.flatMap((part, index) => (index === 0 ? [part] : [origin, part])),
        headers,
      )
    },
  }
}

const encoder = new TextEncoder()

const safetyHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

const createPage = async (contract: Contract) => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(docsStyle))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  const text = await renderDocsPage(contract, anyOrigin)
  return [
    text.split(anyOrigin).map(part => encoder.encode(part)),
    {
      ...safetyHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
  ] as const
}
