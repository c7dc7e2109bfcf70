/**
 * Keys that work everywhere: `/` searches, Escape leads from a bean back to the list. They rest while somebody types, or
 * is asked something.
 * @param {{ isActive: () => boolean, onSearch: () => void, onBack: () => void }} options
 */
export const listenForKeys = ({ isActive, onSearch, onBack }) => {
  addEventListener('keydown', event => {
    const target = event.target instanceof Element ? event.target : document.body
    const isTyping = target.matches('input, textarea, select') || document.querySelector('dialog[open]') !== null
    if (!isActive() || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '/') {
      event.preventDefault()
      onSearch()
    } else if (event.key === 'Escape' && target.closest('.bean-main, .type-page')) onBack()
  })
}
