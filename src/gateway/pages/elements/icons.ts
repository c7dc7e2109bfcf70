import { html } from 'hono/html'

/** Small drawings that say nothing the words beside them do not say. */
export const icons = {
  brand: html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 3.5h12M2 12.5h12M4.5 3.5v9M11.5 3.5v9M4.5 8c1.2-1.3 2.3-1.3 3.5 0s2.3 1.3 3.5 0" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/></svg>`,
  folder: html`<svg class="icon folder" viewBox="0 0 16 16" aria-hidden="true"><path d="M1.5 4A1.5 1.5 0 0 1 3 2.5h3L7.7 4.2H13A1.5 1.5 0 0 1 14.5 5.7V12A1.5 1.5 0 0 1 13 13.5H3A1.5 1.5 0 0 1 1.5 12z" fill="currentColor"/></svg>`,
  file: html`<svg class="icon file" viewBox="0 0 16 16" aria-hidden="true"><path d="M3.75 1.75h5l3.5 3.5v9h-8.5zM8.5 2v3.5h3.5" fill="none" stroke="currentColor" stroke-width="1.2" stroke-linejoin="round"/></svg>`,
  up: html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 13V4M4 7.5 8 3.5l4 4" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
  down: html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5v8.5M4.5 7.5 8 11l3.5-3.5M3 13.5h10" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
  upload: html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 11V2.5M4.5 6 8 2.5 11.5 6M3 13.5h10" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
} as const
