import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ComponentJson } from "../../api-schemas/component-schema.ts";

/** Returns the address of a component's page. Undefined on pages that have none: names are then plain text. */
export const ComponentHref = createContext<((componentId: string) => string) | undefined>(undefined);

/** Shows a component's name, as a link where pages of components exist. */
export function SectionComponentName({
  component,
}: {
  component: Pick<ComponentJson, "component_id" | "component_name">;
}) {
  const address = useContext(ComponentHref);
  const { component_id, component_name } = component;
  return address ? <a href={address(component_id)}>{component_name}</a> : component_name;
}
