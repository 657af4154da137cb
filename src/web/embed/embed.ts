/* What scripts add to the property page, which is whole without them. */
export {};
