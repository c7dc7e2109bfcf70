import { toOrigin } from '../http/origin.ts'
import type { Contract } from './contract.ts'
import { renderDocsPage } from './docs-page.ts'
import { docsStyle } from './docs-style.ts'
import type { Handlers } from './operations.ts'

/** Stands in the page where the examples name the address that answers. */
const anyOrigin = 'http://origin.invalid'

/** The handlers of `/openapi.json` and `/docs`, which are made once, on the first call. */
export const createDocsHandlers = (contract: Contract): Pick<Handlers, 'getContract' | 'getDocs'> => {
  let json: string | undefined
  let page: Promise<readonly [string, Record<string, string>]> | undefined
  return {
    getContract: () => {
      json ??= JSON.stringify(contract.document)
      return new Response(json, { headers: { ...safetyHeaders, 'content-type': 'application/json; charset=utf-8' } })
    },
    getDocs: async call => {
      page ??= createPage(contract)
      const [body, headers] = await page
      return new Response(body.replaceAll(anyOrigin, toOrigin(call)), { headers })
    },
  }
}

const safetyHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

const createPage = async (contract: Contract) => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(docsStyle))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return [
    await renderDocsPage(contract, anyOrigin),
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
