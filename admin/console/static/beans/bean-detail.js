import { createActionForm } from '../elements/action.js'
import { h } from '../elements/dom.js'
import { createAttributeTable } from './attributes.js'
import { toBeanName } from './bean-name.js'

/**
 * One bean: what it is, its attributes, its operations.
 * @param {import('./bean-catalog.js').BeanInfo} bean
 * @param {{ canOperate: boolean, onDone: () => void }} options
 */
export const createBeanDetail = (bean, options) => {
  const { mbean, description } = bean
  const { title, rest } = toBeanName(mbean)
  const operations = Object.entries(bean.operations).map(([name, operation]) => toAction(bean, name, operation))
  const attributes = createAttributeTable(bean, options)
  const back = h('a', { class: 'back', href: '#beans' }, '‹ All beans')
  const heading = h('h2', { tabindex: '-1' }, title, ...(rest ? [h('span', { class: 'rest' }, ` ${rest}`)] : []))
  const element = h(
    'article',
    { class: 'bean', 'data-bean': mbean },
    back,
    heading,
    h('p', { class: 'about' }, description),
    h('p', { class: 'object-name' }, h('code', {}, mbean)),
    attributes.element,
    ...(operations.length === 0
      ? []
      : [
          h(
            'section',
            { class: 'panel' },
            h('h2', {}, 'Operations'),
            ...operations.map(action => createActionForm(action, options).element),
          ),
        ]),
  )
  return { element, mbean, show: attributes.show, focus: () => heading.focus({ preventScroll: true }) }
}

/**
 * @param {import('./bean-catalog.js').BeanInfo} bean @param {string} name @param {import('../../../client/types.ts').OperationInfo} operation
 * @returns {import('../elements/action.js').Action}
 */
const toAction = ({ mbean, description }, name, operation) => ({
  id: `exec-${name}`,
  name,
  description: operation.description,
  mbean,
  about: description,
  args: operation.arguments,
  act: `Run ${name}`,
  title: `Run ${name} on ${toBeanName(mbean).title}`,
  toCall: values => ({ method: 'exec', params: { mbean, operation: name, arguments: values } }),
  resultLabel: operation.returns === 'void' ? 'Done' : 'Done:',
})
