/**
 * Two files deep within `undici` that no version of it promises: the parser of the lane and of data nodes, and the agent that
 * keeps connections to name nodes. A copy here would need its licence, its own updates and a second notice; so they come
 * with the package, whose exact version is pinned, and what they are is pinned here.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Agent from 'undici/lib/dispatcher/agent.js'
import wasm from 'undici/lib/llhttp/llhttp-wasm.js'
import { expect, test } from 'vitest'

const whatToDo = (file: string): string =>
  `undici/lib/${file} is not what it was: read its changes, run test/unit/http/lane and test/unit/filesystem/webhdfs, then note the new values here`

test('the version is exact: another one comes with a change of this file', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  expect(dependencies['undici']).toMatch(/^\d+\.\d+\.\d+$/)
})

test('the parser has the bytes that were tried, and asks for and gives what src/llhttp/llhttp.ts uses', () => {
  expect(createHash('sha256').update(wasm).digest('hex'), whatToDo('llhttp/llhttp-wasm.js')).toBe(
    'ab4573a06c43574936dc98c3943b10a4ee32798e9797329e9f327e5f64115f54',
  )
})

test('the agent dispatches and can be destroyed, as src/filesystem/webhdfs/transport/ask.ts does', () => {
  const agent = new Agent()
  const uses = ['dispatch', 'destroy'].filter(name => typeof Reflect.get(agent, name) === 'function')
  expect(uses, whatToDo('dispatcher/agent.js')).toEqual(['dispatch', 'destroy'])
})
