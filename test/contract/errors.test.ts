import { expect, test } from 'vitest'
import { z } from 'zod'
import { causeTitles, errorTable } from '../../src/errors.ts'
import { contract } from '../unit/contract/fixture.ts'

const problemShape = z.strictObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string().optional(),
  // Of `nothing-accepted`.
  accepted: z.literal(0).optional(),
  rejected: z.number().optional(),
  errors: z.array(z.object({ index: z.number(), code: z.string(), detail: z.string() })).optional(),
})

const problems = contract.operations.flatMap(({ id, answers }) =>
  answers.flatMap(({ status, content }) => {
    const { example, examples = {} } = content['application/problem+json'] ?? {}
    const values = [...Object.values(examples).map(({ value }) => value), ...(example === undefined ? [] : [example])]
    return values.map(value => ({ id, status, problem: problemShape.parse(value) }))
  }),
)

test('the contract and the error table name the same codes', () => {
  const { components } = z
    .looseObject({
      components: z.looseObject({
        schemas: z.looseObject({ ErrorCode: z.looseObject({ enum: z.array(z.string()) }) }),
      }),
    })
    .parse(contract.document)
  expect(components.schemas.ErrorCode.enum).toEqual(Object.keys(errorTable))
})

test('every example of an error says what the table says', () => {
  expect(problems.length).toBeGreaterThan(50)
  for (const { id, status, problem } of problems) {
    const row = new Map<string, { status: number; title: string }>(Object.entries(errorTable)).get(problem.code)
    expect({ id, status }).toEqual({ id, status: problem.status })
    expect([row?.title, ...(status === 503 ? Object.values(causeTitles) : [])]).toContain(problem.title)
    expect(row?.status).toBe(status)
  }
})

test('every answer from 400 on has the media type of problems, except health, readiness, the APIs of Hadoop and Iceberg, and who asks for a ticket and shows a page', () => {
  const others = contract.operations.flatMap(({ id, tag, answers }) =>
    (tag === 'webhdfs' || tag === 'iceberg' ? [] : answers)
      .filter(({ status, content }) => status >= 400 && !('application/problem+json' in content))
      .map(({ status }) => `${id} ${status}`),
  )
  expect(others).toEqual(['getLogin 401', 'getHealth 503', 'getReadiness 503'])
})

test("every error of Iceberg's catalog has its form, except those raised outside the application", () => {
  const shape = z.strictObject({ error: z.strictObject({ message: z.string(), type: z.string(), code: z.number() }) })
  const found = contract.operations.flatMap(({ id, tag, answers }) =>
    (tag === 'iceberg' ? answers : [])
      .filter(({ status }) => status >= 400 && status !== 431)
      .map(({ status, content }) => ({ id, status, example: content['application/json']?.example })),
  )
  expect(found.length).toBeGreaterThan(20)
  for (const { id, status, example } of found) {
    const { error } = shape.parse(example, { error: () => `${id} ${status}` })
    expect(error.code).toBe(status)
  }
})

test('every error of the Hadoop API is a remote exception, except those raised outside the application', () => {
  const shape = z.strictObject({
    RemoteException: z.strictObject({ exception: z.string(), javaClassName: z.string(), message: z.string() }),
  })
  const found = contract.operations.flatMap(({ id, tag, answers }) =>
    (tag === 'webhdfs' ? answers : [])
      .filter(({ status }) => status >= 400 && status !== 431)
      .map(({ status, content }) => ({ id, status, example: content['application/json']?.example })),
  )
  expect(found.length).toBeGreaterThan(30)
  for (const { example } of found) {
    const { exception, javaClassName } = shape.parse(example).RemoteException
    expect(javaClassName.endsWith(`.${exception}`)).toBe(true)
  }
})
