import type { Contract } from './contract.ts'
import { renderDocsPage } from './docs-page.ts'
import { docsStyle } from './docs-style.ts'
import type { Handlers } from './operations.ts'

export type DocsOptions = {
  /** Where the examples on the page send their requests. @default http://127.0.0.1:8080 */
  readonly baseUrl?: string
}

/** The handlers of `/openapi.json` and `/docs`; both answers are made once, on the first call. */
export const createDocsHandlers = (
  contract: Contract,
  { baseUrl = 'http://127.0.0.1:8080' }: DocsOptions = {},
): Pick<Handlers, 'getContract' | 'getDocs'> => {
  let json: string | undefined
  let page: Promise<readonly [string, Record<string, string>]> | undefined
  return {
    getContract: () => {
      json ??= JSON.stringify(contract.document)
      return new Response(json, { headers: { ...safetyHeaders, 'content-type': 'application/json; charset=utf-8' } })
    },
    getDocs: async () => {
      page ??= createPage(contract, baseUrl)
      const [body, headers] = await page
      return new Response(body, { headers })
    },
  }
}

const safetyHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

const createPage = async (contract: Contract, baseUrl: string) => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(docsStyle))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return [
    await renderDocsPage(contract, baseUrl),
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
