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
    expect(namesOf(registry.find())).toEqual(['d:a=1'])
  })

  test('finds by pattern, sorted, beans of sources included', () => {
    const registry = createRegistry()
    const types = ['b']
    registry.register(bean('d:name=S'))
    const stop = registry.registerSource(() => types.map(type => bean(`d:name=S,Type=${type}`)))
    types.push('a')
    expect(namesOf(registry.find('d:name=S,*'))).toEqual(['d:Type=a,name=S', 'd:Type=b,name=S', 'd:name=S'])
    expect(registry.get('d:name=S,Type=a').description).toBe('d:name=S,Type=a')
    stop()
    expect(namesOf(registry.find('*:*'))).toEqual(['d:name=S'])
  })

  test('pages reach every bean once, also when beans come and go meanwhile', () => {
    const registry = createRegistry()
    const removes = Array.from({ length: 25 }, (_, i) => registry.register(bean(`d:n=${String(i).padStart(2, '0')}`)))
    const first = registry.page({ limit: 10 })
    removes[9]?.()
    const second = registry.page({ limit: 10, ...(first.next === undefined ? {} : { after: first.next }) })
    const third = registry.page({ limit: 10, ...(second.next === undefined ? {} : { after: second.next }) })
    expect([first.beans.length, second.beans.length, third.beans.length, third.next]).toEqual([10, 10, 5, undefined])
    expect(new Set(namesOf([...first.beans, ...second.beans, ...third.beans])).size).toBe(25)
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
