"""Reports of one configuration on several models: what each is sent, whether it fits, and what a request costs."""
