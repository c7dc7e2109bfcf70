import { html } from 'hono/html'
import type { Markup } from '../../../contract/markdown.ts'
import { toProblem } from '../../../errors.ts'
import { baseName } from '../../../filesystem/path.ts'
import type { FieldName, Typed } from '../elements/field-fault.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { toShortened, toVisibleText } from '../elements/visible-text.ts'
import { toAdvice } from '../frame/error-page.ts'
import type { Page } from '../frame/layout.ts'
import { toDirectoryForm } from './directory-panel.ts'
import { toRenamePage } from './rename-page.ts'
import { toUploadForm } from './upload-panel.ts'

/** A form that was refused. */
export type RefusedForm = Pick<Typed, 'values'> & {
  readonly action: 'mkdir' | 'rename' | 'upload'
  readonly path: string
  /** The field that is wrong; undefined where no field is. */
  readonly field: FieldName | undefined
}

/** The same form again with what was typed, and the error at its field, or above all of them. */
export const toFormAgain = ({ action, path, values, field }: RefusedForm, error: unknown): Page => {
  const problem = toProblem(error)
  const message = problem.detail ?? problem.title
  const typed: Typed = { values, fault: field && { field, message } }
  const notice =
    field === undefined
      ? toNotice('bad', toVisibleText(toShortened(message, 1_000)), html`<p>${toAdvice(problem)}</p>`)
      : ''
  const { title, content } = forms[action](path, typed, notice)
  return { title, path, width: 'narrow', content }
}

type ToForm = (path: string, typed: Typed, notice: Markup | string) => Pick<Page, 'title' | 'content'>

const forms: Readonly<Record<RefusedForm['action'], ToForm>> = {
  rename: (path, typed, notice) => ({ title: `Rename ${path}`, content: toRenamePage(path, typed, notice) }),
  mkdir: (path, typed, notice) => ({
    title: `New directory in ${path}`,
    content: toAsk('New directory in', path, html`${notice}${toDirectoryForm(path, typed)}`),
  }),
  upload: (path, typed, notice) => ({
    title: `Upload into ${path}`,
    content: toAsk('Upload into', path, html`${notice}${toUploadForm(path, typed)}`),
  }),
}

const toAsk = (what: string, path: string, form: Markup): Markup => html`<div class="ask">
<h1>${what} ${path === '/' ? 'Files' : toVisibleText(baseName(path))}</h1>
<p class="path"><code>${toVisibleText(path)}</code></p>
${form}
<p><a href="${toBrowseLink(path)}">Back to the directory</a></p>
</div>`
