import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toShortened, toVisibleText } from './visible-text.ts'

/** Fields of the forms that people type into. */
export type FieldName = 'name' | 'directory' | 'file' | 'token'

/** What was typed into a form, and what is wrong with it. */
export type Typed = {
  readonly values: { readonly [field in FieldName]?: string }
  /** One sentence about one field. */
  readonly fault?: { readonly field: FieldName; readonly message: string } | undefined
}

/** What is wrong with a field: attributes of the input, and the sentence below it; empty where nothing is. */
export const toFieldFault = (
  id: string,
  field: FieldName,
  { fault }: Pick<Typed, 'fault'>,
): { readonly attributes: Markup | string; readonly text: Markup | string } =>
  fault?.field === field
    ? {
        attributes: html` autofocus aria-invalid="true" aria-describedby="${id}-fault"`,
        text: html`<span id="${id}-fault" class="fault" role="alert">${toVisibleText(toShortened(fault.message, 500))}</span>`,
      }
    : { attributes: '', text: '' }

/** A form that was not sent yet. */
export const untouched: Typed = { values: {} }
