import { DEFINITIONS, type DefinedTerm, LOSS_DEFINITIONS } from "../page/page-term-definitions.ts";

/**
 * A button that shows the definition of a term, by mouse, keyboard and touch. The browser opens and closes it without a script.
 * `place` keeps the ids of two buttons for one term apart.
 */
export function DefinitionButton({ term, place = "" }: { term: DefinedTerm; place?: string }) {
  const { name, text } = { ...DEFINITIONS, ...LOSS_DEFINITIONS }[term];
  const id = `define-${term}${place && `-${place}`}`;
  return (
    <>
      <button type="button" class="define" popovertarget={id} aria-label={`Definition: ${name}`}>
        ?
      </button>
      <span id={id} class="definition" popover="auto">
        <strong>{name}.</strong> {text}
      </span>
    </>
  );
}

/** All definitions of plans, for reading in full and for print. */
export function PlanTermDefinitions() {
  return (
    <dl class="definitions small">
      {Object.values(DEFINITIONS).map(({ name, text }) => (
        <div>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
