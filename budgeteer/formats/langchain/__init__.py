"""LangChain messages and LangGraph states."""
