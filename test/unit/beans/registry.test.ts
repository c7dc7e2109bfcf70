import { describe, expect, test } from 'vitest'
import { type Bean, defineBean } from '../../../src/beans/bean.ts'
import { createRegistry, maxBeans } from '../../../src/beans/registry.ts'

const bean = (name: string): Bean => defineBean({ name, description: name })
const namesOf = (beans: readonly Bean[]): readonly string[] => beans.map(({ name }) => name.canonical)

describe('createRegistry', () => {
  test('finds a bean by any spelling of its name', () => {
    const registry = createRegistry()
    registry.register(bean('d:type=T,name=n'))
    expect(registry.get('d:name=n,type=T').description).toBe('d:type=T,name=n')
  })

  test.each([
    { given: 'd:name=x', code: 'bean-not-found' },
    { given: 'd:*', code: 'bad-name' },
    { given: 'nothing', code: 'bad-name' },
    { given: '__proto__:k=v', code: 'bean-not-found' },
  ])('get $given: $code', ({ given, code }) => {
    expect(() => createRegistry().get(given)).toThrow(expect.objectContaining({ code }))
  })

  test('takes a name once, and again after it was taken out', () => {
    const registry = createRegistry()
    const remove = registry.register(bean('d:a=1'))
    expect(() => registry.register(bean('d:a=1'))).toThrow(expect.objectContaining({ code: 'bean-exists' }))
    remove()
    registry.register(bean('d:a=1'))
    remove()
    expect(namesOf(registry.all())).toEqual(['d:a=1'])
  })

  test('has all, sorted, beans of sources included', () => {
    const registry = createRegistry()
    const types = ['b']
    registry.register(bean('d:name=S'))
    const stop = registry.registerSource(() => types.map(type => bean(`d:name=S,Type=${type}`)))
    types.push('a')
    expect(namesOf(registry.all())).toEqual(['d:Type=a,name=S', 'd:Type=b,name=S', 'd:name=S'])
    expect(registry.get('d:name=S,Type=a').description).toBe('d:name=S,Type=a')
    stop()
    expect(namesOf(registry.all())).toEqual(['d:name=S'])
  })

  test('gives the same list until a bean comes or goes, and leaves that as it is', () => {
    const registry = createRegistry()
    let types: readonly Bean[] = [bean('d:type=b')]
    registry.register(bean('d:name=S'))
    registry.registerSource(() => types)
    const first = registry.all()
    expect(registry.all()).toBe(first)
    types = [...types, bean('d:type=a')]
    const second = registry.all()
    expect(namesOf(second)).toEqual(['d:name=S', 'd:type=a', 'd:type=b'])
    const remove = registry.register(bean('d:name=T'))
    expect(namesOf(registry.all())).toEqual(['d:name=S', 'd:name=T', 'd:type=a', 'd:type=b'])
    remove()
    expect(namesOf(registry.all())).toEqual(namesOf(second))
    expect(namesOf(first)).toEqual(['d:name=S', 'd:type=b'])
  })

  test('is bounded', () => {
    const registry = createRegistry()
    for (let i = 0; i < maxBeans; i++) registry.register(bean(`d:n=${i}`))
    expect(() => registry.register(bean('d:n=more'))).toThrow(expect.objectContaining({ code: 'too-many' }))
  })

  test('no bean is named by a pattern', () => {
    expect(() => bean('d:*')).toThrow(expect.objectContaining({ code: 'bad-name' }))
  })
})
