import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { errorTable } from '../../../src/errors.ts'
import { contract, createTestApp } from './fixture.ts'

const response = await createTestApp().request('/docs')
const page = await response.text()

test('/docs shows every operation, with an anchor, its path and its summary', () => {
  for (const { id, path, summary } of contract.operations) {
    expect(page).toContain(`<article id="${id}">`)
    expect(page).toContain(`href="#${id}"`)
    expect(page).toContain(`<code>${path}</code>`)
    expect(page).toContain(`>${summary}</p>`)
  }
})

test('/docs shows every parameter and every error code', () => {
  for (const { name } of contract.operations.flatMap(({ parameters }) => parameters)) {
    expect(page).toContain(`<code>${name}</code>`)
  }
  for (const code of Object.keys(errorTable)) expect(page).toContain(`<code>${code}</code>`)
})

test('S2: /docs loads nothing, from here or elsewhere, and runs no script', () => {
  expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=/i)
  const links = [...page.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, link]) => link)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter(link => !/^(#[\w-]+|\/[\w.]+)$/.test(link ?? ''))).toEqual([])
})

test('/docs links only to anchors that it has', () => {
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const anchors = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
  expect(anchors.filter(anchor => !ids.includes(anchor))).toEqual([])
})

test('S2: /docs has a policy that allows its one style and nothing else', () => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(page).not.toContain(' style="')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

test('/openapi.json is the document as written', async () => {
  const json = await createTestApp().request('/openapi.json')
  expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await json.json()).toEqual(contract.document)
})
